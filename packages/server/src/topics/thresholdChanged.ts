import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const ThresholdChanged = z.object({
  accountId: z.int(),
  twinId: z.int(),
  groupId: z.int(),
  groupTitle: z.string(),
  /** false: it sends enough again, left the group, or nobody watches any more */
  low: z.boolean(),
  /** packets in the window */
  received: z.number(),
  expected: z.number(),
  windowHours: z.int(),
  /** ISO 8601 */
  at: z.string(),
})

export type ThresholdChanged = z.infer<typeof ThresholdChanged>

/** A device began or ceased to send fewer packets than a smart group expects. */
export const thresholdChanged = defineTopic({
  name: 'threshold.changed',
  version: 1,
  schema: ThresholdChanged,
})
