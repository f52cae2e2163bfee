import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const AlarmChanged = z.object({
  alarmId: z.number(),
  /** null: of a connector or the platform */
  twinId: z.int().nullable(),
  connectorId: z.int().nullable().default(null),
  scopeId: z.int(),
  ruleId: z.int().nullable(),
  severity: z.string(),
  category: z.string(),
  message: z.string(),
  resolved: z.boolean(),
  source: z.string().default('rule'),
  /**
   * `again`: opened again soon after it was resolved; `severity`: only that changed; `awake`: is no longer set aside;
   * `assigned`: has become somebody's task
   */
  what: z.enum(['raised', 'again', 'severity', 'resolved', 'awake', 'assigned']).optional(),
  /** of `assigned`: whose, if it was given by somebody else */
  assignedTo: z.int().nullable().default(null),
  /** it opened during maintenance: no notifications before that is over */
  maintained: z.boolean().default(false),
  /** ISO 8601 */
  at: z.string(),
})

export type AlarmChanged = z.infer<typeof AlarmChanged>

/** An alarm was raised or resolved, or its severity changed. */
export const alarmChanged = defineTopic({ name: 'alarm.changed', version: 1, schema: AlarmChanged })
