import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const DownlinkReported = z.object({
  connectorId: z.int(),
  /** names of the downlinks at the network server */
  names: z.array(z.string()).readonly(),
  what: z.enum(['queued', 'transmitted', 'acknowledged', 'refused', 'failed']),
  /** the server's own text */
  detail: z.string(),
  /** when the report was received, ISO 8601 */
  at: z.string(),
})

export type DownlinkReported = z.infer<typeof DownlinkReported>

/** A network server reported the outcome of downlinks. */
export const downlinkReported = defineTopic({
  name: 'downlink.reported',
  version: 1,
  schema: DownlinkReported,
})
