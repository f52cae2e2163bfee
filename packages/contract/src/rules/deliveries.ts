import * as z from 'zod'

/**
 * What became of a message to another system or a device:
 * - `queued` it waits for its first or next attempt, `sent` the other side has it
 * - `acknowledged` a device confirmed its downlink, `expired` it was not sent or confirmed in time, `cancelled`
 *   somebody cancelled it
 * - `failed` it was given up, `uncertain` it may have arrived and is not sent again
 * - `deleted` unknown: it was deleted because of its age
 * - never sent: `ruleLimit`, `targetLimit` and `accountLimit` held it back, `impossible` it could not be queued
 */
export const deliveryOutcomes = [
  'queued',
  'sent',
  'acknowledged',
  'failed',
  'expired',
  'cancelled',
  'uncertain',
  'deleted',
  'ruleLimit',
  'targetLimit',
  'accountLimit',
  'impossible',
] as const
export type DeliveryOutcome = (typeof deliveryOutcomes)[number]

/**
 * Why a message has not arrived yet, or never will:
 * - `unreachable` the address does not respond, `notConnected` the connection is down, `forbidden` the platform may
 *   not connect there
 * - `noAnswer` it was sent, but there was no answer; `interrupted` the server stopped while it was being sent
 * - `overloaded` the other side asks for a later attempt, `refused` it does not accept the message
 * - `connectorDeleted`, `connectorDisabled`, `connectorUnfit` the connector cannot send it
 * - `topicForbidden` the connector may not publish to this topic
 * - `unsubscribed` the browser no longer takes messages, `noBrowser` the person has none that does
 * - `late` it was too old
 */
export const deliveryReasons = [
  'unreachable',
  'notConnected',
  'forbidden',
  'noAnswer',
  'interrupted',
  'overloaded',
  'refused',
  'connectorDeleted',
  'connectorDisabled',
  'connectorUnfit',
  'topicForbidden',
  'unsubscribed',
  'noBrowser',
  'late',
] as const
export type DeliveryReason = (typeof deliveryReasons)[number]

export const Delivery = z.object({
  /** name of the connector, device or person */
  to: z.string(),
  outcome: z.enum(deliveryOutcomes),
  /** a `DeliveryReason`, a `DownlinkReason`, or why a downlink was not possible (an error code, a problem) */
  reason: z.string().nullable(),
  /** e.g. the status of an HTTP answer */
  detail: z.string(),
})
export type Delivery = z.infer<typeof Delivery>
