import { Json } from '@leitstand/contract/common'
import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const PacketReceived = z.object({
  deviceId: z.int(),
  connectorId: z.int(),
  /** the device's identifier at its connector */
  identifier: z.string(),
  /** ISO 8601 */
  receivedAt: z.string(),
  /** time of the measurement, ISO 8601 */
  time: z.string(),
  fPort: z.number().nullable(),
  fCnt: z.number().nullable(),
  /** as the driver received it, in this encoding */
  payload: z.string(),
  encoding: z.enum(['hex', 'json']),
  /** JSON text */
  meta: z.string(),
  /** the driver's result; null: decoding failed */
  variables: z.record(z.string(), Json).nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})

export type PacketReceived = z.infer<typeof PacketReceived>

/** A packet of a device was stored, in the account of the device. */
export const packetReceived = defineTopic({ name: 'packet.received', version: 1, schema: PacketReceived })
