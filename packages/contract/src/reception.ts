import * as z from 'zod'
import { ConnectorKind, ConnectorState } from './bridge.ts'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Reasons for refusing a message before its device is known. */
export const limitReasons = ['TOO_MANY_REQUESTS', 'OVERLOADED', 'BODY_TOO_LARGE', 'PACKET_TOO_LARGE'] as const

/** The connector of a device as visible to all users who see the device: no addresses, no secrets. */
const ReceivingConnector = z.object({
  name: z.string(),
  kind: ConnectorKind,
  enabled: z.boolean(),
  state: ConnectorState,
  stateMessage: z.string(),
  stateAt: Time,
  /** time of the last message of any device; null: none yet */
  lastMessageAt: Time.nullable(),
  /** last error among its last 100 connection events */
  lastError: z.object({ at: Time, message: z.string() }).nullable(),
})

/** Status of a device's messages before they reach it. */
export const Reception = z.object({
  connector: ReceivingConnector,
  /** why messages of this device could not be processed, each reason once, most recent first */
  refused: z.array(z.object({ reason: z.string(), at: Time })),
  /**
   * limits of the connector and the accounts above it that refused messages since the connector was created,
   * most recent first; such messages identify no device
   */
  limits: z.array(z.object({ reason: z.enum(limitReasons), count: z.int(), lastAt: Time })),
  /** when a rate limit last delayed or refused messages; null: not recently */
  limitReachedAt: Time.nullable(),
})
export type Reception = z.infer<typeof Reception>

export const receptionOfDevice = {
  /**
   * Reasons why no messages may arrive, for all users who see the device; managers of the connector find more
   * with `bridge`.
   */
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
