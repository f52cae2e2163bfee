import * as z from 'zod'

/** Maximum windows and date ranges. */
const executionTimesMax = 20

/** A time of day on the clock of the account, `07:30`. */
const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:mm')

/**
 * When a rule runs, in the time zone of its account. Each part that is not empty restricts it.
 *
 * - `windows`: from a time of day until before another one, on the weekdays on which it begins (1 is Monday). If `to` is
 *   not after `from`, it ends on the next day.
 * - `dates`: first and last day. A window over midnight belongs to the day on which it begins.
 * - `holidays`: not on public holidays of a country or region, or only on them.
 */
export const ExecutionTimes = z.object({
  windows: z
    .array(
      z.object({
        days: z.array(z.int().min(1).max(7)).min(1).max(7),
        from: ClockTime,
        to: ClockTime,
      }),
    )
    .max(executionTimesMax)
    .default([]),
  dates: z
    .array(z.object({ from: z.iso.date(), to: z.iso.date() }))
    .max(executionTimesMax)
    .default([]),
  holidays: z
    .object({
      /** as in ISO 3166 */
      country: z.string().regex(/^[A-Z]{2}$/),
      /** its region as in the list of calendars; absent: holidays of the whole country */
      region: z.string().max(20).optional(),
      on: z.enum(['except', 'only']),
    })
    .nullable()
    .default(null),
})
export type ExecutionTimes = z.infer<typeof ExecutionTimes>

/** A country with public holidays that are known, and its regions that have others. */
export const HolidayCalendar = z.object({
  country: z.string(),
  regions: z.array(z.object({ region: z.string(), name: z.string() })),
})
export type HolidayCalendar = z.infer<typeof HolidayCalendar>
