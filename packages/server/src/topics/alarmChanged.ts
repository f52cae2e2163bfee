import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const AlarmChanged = z.object({
  alarmId: z.number(),
  twinId: z.int(),
  scopeId: z.int(),
  ruleId: z.int().nullable(),
  severity: z.string(),
  category: z.string(),
  message: z.string(),
  resolved: z.boolean(),
  /** ISO 8601 */
  at: z.string(),
})

export type AlarmChanged = z.infer<typeof AlarmChanged>

/** An alarm was raised or resolved. */
export const alarmChanged = defineTopic({ name: 'alarm.changed', version: 1, schema: AlarmChanged })
