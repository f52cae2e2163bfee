import * as z from 'zod'

/** Minute, hour, day of month, month, day of week; in the time zone of the account. */
export const CronTrigger = z.object({
  kind: z.literal('cron'),
  expression: z
    .string()
    .trim()
    .max(100)
    .regex(/^\S+(?: +\S+){4}$/, 'five fields: minute, hour, day, month, weekday'),
})
export type CronTrigger = z.infer<typeof CronTrigger>
