import * as z from 'zod'
import { ConnectorKind, ConnectorState } from './bridge.ts'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Reasons for which a message is turned away before anybody looks whose it is. */
export const limitReasons = ['TOO_MANY_REQUESTS', 'OVERLOADED', 'BODY_TOO_LARGE', 'PACKET_TOO_LARGE'] as const

/** The connector of a device as everybody may see it who sees the device: no addresses, no secrets. */
const ReceivingConnector = z.object({
  name: z.string(),
  kind: ConnectorKind,
  enabled: z.boolean(),
  state: ConnectorState,
  stateMessage: z.string(),
  stateAt: Time,
  /** when a message of any device came last; null: none yet */
  lastMessageAt: Time.nullable(),
  /** of its last 100 connection events */
  lastError: z.object({ at: Time, message: z.string() }).nullable(),
})

/** What is known about the way of a device's messages before they reach it. */
export const Reception = z.object({
  connector: ReceivingConnector,
  /** why messages that named this device could not be used, each reason once, the latest first */
  refused: z.array(z.object({ reason: z.string(), at: Time })),
  /**
   * limits of the connector and the accounts above it that turned messages away since the connector exists, the latest
   * first; such messages name no device
   */
  limits: z.array(z.object({ reason: z.enum(limitReasons), count: z.int(), lastAt: Time })),
  /** when a limit of messages per second last made senders wait or turned them away; null: not lately */
  limitReachedAt: Time.nullable(),
})
export type Reception = z.infer<typeof Reception>

export const receptionOfDevice = {
  /** Why nothing may arrive, for everybody who sees the device; managers of the connector find more with `bridge`. */
  reception: operation
    .meta({ rule: may('VirtualDevice', 'read', 'manage') })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/reception',
      tags: ['virtual devices'],
      summary: 'How the connector of a device is doing',
    })
    .input(z.object({ id: Id }))
    .output(Reception),
}
