import type { ExportFrequency } from '@leitstand/contract/exportSchedules'
import { DateTime, IANAZone } from 'luxon'

/** When a schedule runs. */
export interface Timing {
  frequency: ExportFrequency
  timeZone: string
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Times that are named as missed after a long downtime. */
export const missedMax = 48
/** How far back times are looked for, so that an hourly schedule of years ago costs nothing. */
const lookBackMs = {
  hour: 49 * hourMs,
  day: 50 * dayMs,
  week: 49 * 7 * dayMs,
  month: 49 * 31 * dayMs,
  year: 49 * 366 * dayMs,
} as const satisfies Record<ExportFrequency['every'], number>

/** The next time a schedule runs, after a time. */
export function nextDue({ frequency, timeZone }: Timing, after: Date): Date {
  if (frequency.every === 'hour') return nextMinute(frequency.minute, timeZone, after)
  const [hour, minute] = frequency.time.split(':').map(Number) as [number, number]
  const today = DateTime.fromJSDate(after, { zone: timeZone })
  // From the day before: the zone of a time that the clock skips may be a day further than it says.
  for (let step = -1; ; step++) {
    const { year, month, day } = dayOf(frequency, today, step)
    const at = momentOf({ year, month, day, hour, minute }, timeZone)
    if (at > after.getTime()) return new Date(at)
  }
}

/** The day of a frequency in the unit that is `step` units after that of a time. */
function dayOf(frequency: Exclude<ExportFrequency, { every: 'hour' }>, from: DateTime, step: number) {
  // Days of the calendar, which have nothing to do with the zone.
  const local = DateTime.utc(from.year, from.month, from.day)
  switch (frequency.every) {
    case 'day':
      return local.plus({ days: step })
    case 'week':
      return local.startOf('week').plus({ weeks: step, days: frequency.weekday - 1 })
    case 'month': {
      const month = local.startOf('month').plus({ months: step })
      return month.set({ day: frequency.day === 'last' ? (month.daysInMonth ?? 28) : frequency.day })
    }
    case 'year': {
      const month = DateTime.utc(local.year + step, frequency.month)
      return month.set({ day: Math.min(frequency.day, month.daysInMonth ?? 28) })
    }
  }
}

/**
 * When a clock shows a time, in milliseconds since 1970: the first time if it does so twice, and later by as much as was
 * skipped if it never does.
 */
function momentOf(
  { year, month, day, hour, minute }: Record<'year' | 'month' | 'day' | 'hour' | 'minute', number>,
  timeZone: string,
): number {
  const shown = Date.UTC(year, month - 1, day, hour, minute)
  const zone = IANAZone.create(timeZone)
  const offsets = [zone.offset(shown - dayMs), zone.offset(shown + dayMs)]
  const found = offsets
    .map((offset) => ({ at: shown - offset * minuteMs, offset }))
    .filter(({ at, offset }) => zone.offset(at) === offset)
    .map(({ at }) => at)
  return found.length > 0 ? Math.min(...found) : shown - (offsets[0] ?? 0) * minuteMs
}

/** The next time after another when a clock shows this minute of whichever hour. */
function nextMinute(minute: number, timeZone: string, after: Date): Date {
  let at = Math.floor(after.getTime() / minuteMs) * minuteMs + minuteMs
  for (;;) {
    const shown = DateTime.fromMillis(at, { zone: timeZone }).minute
    if (shown === minute) return new Date(at)
    // Once more where the zone changes by a part of an hour meanwhile.
    at += ((minute - shown + 60) % 60) * minuteMs
  }
}

/** What is to be done with a schedule that is due. */
export interface Plan {
  /** times that have passed, oldest first; the oldest of very many are left out */
  missed: Date[]
  /** the last time that has come */
  due: Date
  nextAt: Date
}

/** Pure. @param dueAt when it was due, not in the future */
export function plan(timing: Timing, dueAt: Date, now: Date): Plan {
  const times = [dueAt]
  const from = now.getTime() - lookBackMs[timing.frequency.every]
  let next = nextDue(timing, from > dueAt.getTime() ? new Date(from) : dueAt)
  while (next <= now) {
    times.push(next)
    next = nextDue(timing, next)
  }
  return { missed: times.slice(-missedMax - 1, -1), due: times.at(-1) ?? dueAt, nextAt: next }
}
