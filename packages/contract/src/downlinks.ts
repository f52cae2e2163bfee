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
 * `requested` — waiting here, `sent` — accepted by the network server, `acknowledged` — confirmed by the
 * device, `failed` — will not arrive, `expired` — not sent or acknowledged in time, `cancelled` — cancelled
 * before it was sent.
 */
export const downlinkStates = ['requested', 'sent', 'acknowledged', 'failed', 'expired', 'cancelled'] as const
export type DownlinkState = (typeof downlinkStates)[number]

/**
 * Why a downlink failed or expired, or why it is still waiting:
 * - `notConnected` the connection to the network server is down, `unreachable` its address does not respond
 * - `noAnswer` it was sent, but it is not known whether the server accepted it
 * - `overloaded` the server asks for a later retry, `refused` the server rejects it
 * - `noAddress` the server's id of the device is not known, `noWay` the connector sends no downlinks
 * - `notAcknowledged` the device did not confirm it, `network` the server gave it up, `late` it expired
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

/** How a connector sends downlinks to its network server. */
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
  /** gateways that should send it; empty: the network server chooses. Only supported by The Things Stack. */
  gateways: Gateways.default([]),
}

/** A downlink that a driver defines for its devices. Parameters overwrite bits of the payload. */
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
  /** name of the predefined downlink; empty: a custom payload */
  name: z.string(),
  port: z.int(),
  /** hexadecimal */
  payload: z.string(),
  confirmed: z.boolean(),
  gateways: z.array(z.string()),
  state: z.enum(downlinkStates),
  /** for a failed or expired downlink, else why the last attempt failed */
  reason: z.enum(downlinkReasons).nullable(),
  /** text from the network server */
  detail: z.string(),
  requestedBy: z.string(),
  requestedAt: Time,
  /** it is not sent later, and no acknowledgement is awaited after this time */
  validUntil: Time,
  attempts: z.int(),
  /** time of the next attempt, while requested */
  nextAttemptAt: Time.nullable(),
  /**
   * it was sent again without knowing whether the network server had accepted it before: it may arrive twice
   */
  repeated: z.boolean(),
  /** when the network server accepted it */
  sentAt: Time.nullable(),
  /** when a gateway sent it */
  transmittedAt: Time.nullable(),
  /** when it was acknowledged, failed, expired or cancelled */
  endedAt: Time.nullable(),
})
export type Downlink = z.infer<typeof Downlink>

/** Why nothing can be sent to a device now; null: sending is possible. */
export const downlinkProblems = ['noWay', 'noAddress', 'connectorDisabled', 'deviceDisabled'] as const

export const DownlinkOffer = z.object({
  way: z.enum(downlinkWays),
  problem: z.enum(downlinkProblems).nullable(),
  /** downlinks of the driver version the device uses */
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
  /** The downlinks that can be sent to a device, or why none can. */
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
   * Queues a downlink for a device: a predefined one of its driver by name, or a custom payload. Downlinks
   * are sent to the network server one after another, as soon as possible and within `validMinutes`. Refused
   * with DOWNLINK_NOT_POSSIBLE, DOWNLINK_INVALID and DOWNLINK_QUEUE_FULL.
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
            /** values by parameter key */
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
  /** Cancels a waiting downlink. Refused with DOWNLINK_NOT_WAITING when it was already sent. */
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
