import * as z from 'zod'
import { alarmCategories } from '../../alarms.ts'

/**
 * Raises an alarm that is resolved when the conditions are no longer met. Its message may contain
 * placeholders.
 */
export const AlarmAction = z.object({
  kind: z.literal('alarm'),
  severity: z.enum(['warning', 'error']),
  /** absent: `unknown` */
  category: z.enum(alarmCategories).optional(),
  message: z.string().trim().min(1).max(500),
})
export type AlarmAction = z.infer<typeof AlarmAction>
