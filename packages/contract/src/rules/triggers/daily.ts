import * as z from 'zod'

/** A time of day on some weekdays (1 is Monday), in the time zone of the account. */
export const DailyTrigger = z.object({
  kind: z.literal('daily'),
  hour: z.int().min(0).max(23),
  minute: z.int().min(0).max(59),
  days: z.array(z.int().min(1).max(7)).min(1).max(7),
})
export type DailyTrigger = z.infer<typeof DailyTrigger>
