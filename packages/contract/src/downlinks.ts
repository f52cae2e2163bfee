import * as z from 'zod'
import { Done, Id, operation, Paging, pageOf, Time, Title } from './common.ts'
import {
  DownlinkParameter,
  DownlinkValue,
  downlinkBytes,
  downlinkEncodings,
  downlinkLimits,
  problemOf,
} from './downlinkPayload.ts'
import { may } from './permissions.ts'

/**
 * `requested` — waits here, `sent` — handed to the network server, `acknowledged` — confirmed by the device, `failed` —
 * will not arrive, `expired` — its time was over, `cancelled` — withdrawn before it was sent.
 */
export const downlinkStates = ['requested', 'sent', 'acknowledged', 'failed', 'expired', 'cancelled'] as const
export type DownlinkState = (typeof downlinkStates)[number]

/**
 * Why a downlink failed or expired, or why it still waits:
 * - `notConnected` the connection to the network server is down, `unreachable` its address does not answer
 * - `noAnswer` it was sent, but whether the server took it is not known
 * - `overloaded` the server asks to come back, `refused` it does not want it
 * - `noAddress` it is not known how the server names the device, `noWay` the connector sends no downlinks
 * - `notAcknowledged` the device did not confirm, `network` the server gave it up, `late` its time was over
 */
export const downlinkReasons = [
  'notConnected',
  'unreachable',
  'noAnswer',
  'overloaded',
  'refused',
  'noAddress',
  'noWay',
  'notAcknowledged',
  'network',
  'late',
] as const
export type DownlinkReason = (typeof downlinkReasons)[number]

/** How a connector hands downlinks to its network server. */
export const downlinkWays = ['none', 'tts-v3', 'chirpstack-v4'] as const
export type DownlinkWay = (typeof downlinkWays)[number]

const Payload = z.string().min(1).max(2000)
const Port = z.int().min(1).max(downlinkLimits.portMax)
const Gateways = z.array(z.string().trim().min(1).max(100)).max(downlinkLimits.gatewaysMax)

const Common = {
  port: Port,
  payload: Payload,
  encoding: z.enum(downlinkEncodings).default('base16'),
  confirmed: z.boolean().default(false),
  /** gateways that are to send it; empty: the network server chooses. Only The Things Stack takes them. */
  gateways: Gateways.default([]),
}

/** A downlink a driver offers for its devices. Parameters are written over the bits of the payload. */
export const PredefinedDownlink = z
  .object({
    name: z.string().trim().min(1).max(100),
    description: z.string().max(500).default(''),
    ...Common,
    parameters: z.array(DownlinkParameter).max(downlinkLimits.parametersMax).default([]),
  })
  .superRefine((downlink, context) => {
    const fault = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path, message })
    const base = downlinkBytes(downlink.payload, downlink.encoding)
    if (typeof base === 'string') return fault(['payload'], base)
    for (const [index, parameter] of downlink.parameters.entries()) {
      const problem = problemOf(parameter, base.length)
      if (problem) fault(['parameters', index, problem.field], problem.fault)
      if (downlink.parameters.findIndex(({ key }) => key === parameter.key) < index)
        fault(['parameters', index, 'key'], 'downlinkKeyTwice')
    }
  })
export type PredefinedDownlink = z.infer<typeof PredefinedDownlink>

/** The downlinks of a driver version. */
export const PredefinedDownlinks = z
  .array(PredefinedDownlink)
  .max(downlinkLimits.predefinedMax)
  .superRefine((list, context) => {
    for (const [index, { name }] of list.entries())
      if (list.findIndex((other) => other.name === name) < index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'downlinkNameTwice' })
  })

/** A downlink in the queue of its device. */
export const Downlink = z.object({
  id: Id,
  /** of the predefined downlink; empty: a payload of one's own */
  name: z.string(),
  port: z.int(),
  /** hexadecimal */
  payload: z.string(),
  confirmed: z.boolean(),
  gateways: z.array(z.string()),
  state: z.enum(downlinkStates),
  /** of a failed or expired one, else why the last attempt brought nothing */
  reason: z.enum(downlinkReasons).nullable(),
  /** what the network server says about it */
  detail: z.string(),
  requestedBy: z.string(),
  requestedAt: Time,
  /** not sent later than this, and no acknowledgement is awaited after it */
  validUntil: Time,
  attempts: z.int(),
  /** when a requested one is tried next */
  nextAttemptAt: Time.nullable(),
  /** it was sent again without knowing whether the network server had taken it before: it may arrive twice */
  repeated: z.boolean(),
  /** when the network server took it */
  sentAt: Time.nullable(),
  /** when a gateway sent it */
  transmittedAt: Time.nullable(),
  /** when it was acknowledged, failed, expired or was cancelled */
  endedAt: Time.nullable(),
})
export type Downlink = z.infer<typeof Downlink>

/** Why nothing can be sent to a device now; null: it can. */
export const downlinkProblems = ['noWay', 'noAddress', 'connectorDisabled', 'deviceDisabled'] as const

export const DownlinkOffer = z.object({
  way: z.enum(downlinkWays),
  problem: z.enum(downlinkProblems).nullable(),
  /** of the driver version the device uses */
  predefined: PredefinedDownlinks,
  /** whether the caller may send */
  editable: z.boolean(),
})
export type DownlinkOffer = z.infer<typeof DownlinkOffer>

const read = may('VirtualDevice', 'read', 'manage')
const write = may('VirtualDevice', 'write', 'manage')
const validMinutes = z.int().min(1).max(downlinkLimits.validMinutesMax).default(1_440)

export const downlink = {
  /** Downlinks of a device, newest first. */
  list: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/downlinks',
      tags: ['virtual devices'],
      summary: 'Downlinks to a device',
    })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(Downlink)),
  /** What can be sent to a device, and why nothing can. */
  offer: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/downlink-offer',
      tags: ['virtual devices'],
      summary: 'What can be sent to a device',
    })
    .input(z.object({ id: Id }))
    .output(DownlinkOffer),
  /**
   * Puts a downlink into the queue of a device: a predefined one of its driver by name, or a payload of one's own. It is
   * handed to the network server as soon as it can be, one after the other, not after `validMinutes`.
   * Refused with DOWNLINK_NOT_POSSIBLE, DOWNLINK_INVALID and DOWNLINK_QUEUE_FULL.
   */
  send: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/virtualdevice/{id}/downlinks',
      tags: ['virtual devices'],
      summary: 'Send a downlink',
      successStatus: 201,
    })
    .input(
      z.object({
        id: Id,
        content: z.union([
          z.strictObject({
            predefined: Title,
            /** by the keys of its parameters */
            values: z
              .record(z.string().max(50), DownlinkValue)
              .refine((values) => Object.keys(values).length <= downlinkLimits.parametersMax, 'too many keys')
              .default({}),
          }),
          z.strictObject(Common),
        ]),
        validMinutes,
      }),
    )
    .output(Downlink),
  /** Withdraws a downlink that waits. Refused with DOWNLINK_NOT_WAITING when it was sent already. */
  cancel: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/virtualdevice/{id}/downlinks/{downlinkId}/cancel',
      tags: ['virtual devices'],
      summary: 'Withdraw a downlink',
    })
    .input(z.object({ id: Id, downlinkId: Id }))
    .output(Done),
}
