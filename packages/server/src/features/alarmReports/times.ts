import { DateTime } from 'luxon'

/** When a report is sent. */
export interface Timing {
  timeZone: string
  /** 1: Monday */
  weekdays: readonly number[]
  /** seconds after six in the morning, see `offsetOf` */
  offsetS: number
}

/** Days that are named as missed after a long downtime; older ones are left out. */
const missedMax = 31
const hourS = 3600

/** When a report is sent between six and seven: spread evenly, the same every day. Seconds after six. */
export function offsetOf(reportId: number): number {
  // Fibonacci hashing: neighbouring ids are far apart.
  return (Math.imul(reportId, 0x9e3779b1) >>> 0) % hourS
}

/** When a report is sent on a day. A time that the clock skips in spring is later by as much. */
function on(day: DateTime, offsetS: number): DateTime {
  return day.set({ hour: 6, minute: Math.floor(offsetS / 60), second: offsetS % 60, millisecond: 0 })
}

/** The next time a report is sent, after a time. */
export function nextDue({ timeZone, weekdays, offsetS }: Timing, after: Date): Date {
  const start = DateTime.fromJSDate(after, { zone: timeZone })
  for (let days = 0; days <= 14; days++) {
    const at = on(start.plus({ days }), offsetS)
    if (weekdays.includes(at.weekday) && at.toMillis() > after.getTime()) return at.toJSDate()
  }
  throw new Error(`no day of the week: ${weekdays.join(', ')}`)
}

/** What is to be done with a report that is due. Days as `2026-11-26`. */
export interface Plan {
  /** days that have passed without it, oldest first */
  missed: string[]
  /** the day for which it is sent now */
  today: string | null
  nextAt: Date
}

/** Pure. @param dueAt when it was due, not in the future */
export function plan(timing: Timing, dueAt: Date, now: Date): Plan {
  const { timeZone, weekdays, offsetS } = timing
  const today = DateTime.fromJSDate(now, { zone: timeZone })
  const due = DateTime.fromJSDate(dueAt, { zone: timeZone })
  const missed: string[] = []
  for (let days = 1; days <= missedMax; days++) {
    const day = today.minus({ days })
    if ((day.toISODate() as string) < (due.toISODate() as string)) break
    if (weekdays.includes(day.weekday)) missed.unshift(day.toISODate() as string)
  }
  const isToday = weekdays.includes(today.weekday) && on(today, offsetS).toMillis() <= now.getTime()
  return { missed, today: isToday ? today.toISODate() : null, nextAt: nextDue(timing, now) }
}

/** When the time begins that a report is about. */
export function periodStart(period: 'day' | 'week' | 'month', timeZone: string, now: Date): Date {
  const local = DateTime.fromJSDate(now, { zone: timeZone })
  return local.minus({ [`${period}s`]: 1 }).toJSDate()
}
