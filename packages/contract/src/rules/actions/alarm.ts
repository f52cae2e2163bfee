import * as z from 'zod'

/**
 * Raises an alarm that is resolved when the conditions are no longer met. Its message may contain
 * placeholders.
 */
export const AlarmAction = z.object({
  kind: z.literal('alarm'),
  severity: z.enum(['warning', 'error']),
  message: z.string().trim().min(1).max(500),
})
export type AlarmAction = z.infer<typeof AlarmAction>
