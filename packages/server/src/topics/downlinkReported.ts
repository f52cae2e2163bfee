import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const DownlinkReported = z.object({
  connectorId: z.int(),
  /** names of the downlinks at the network server */
  names: z.array(z.string()).readonly(),
  what: z.enum(['queued', 'transmitted', 'acknowledged', 'refused', 'failed']),
  /** in the words of the server */
  detail: z.string(),
  /** when the report came, ISO 8601 */
  at: z.string(),
})

export type DownlinkReported = z.infer<typeof DownlinkReported>

/** A network server reported what became of downlinks. */
export const downlinkReported = defineTopic({
  name: 'downlink.reported',
  version: 1,
  schema: DownlinkReported,
})
