import type { ExecutionTimes } from '@leitstand/contract/rules'
import { DateTime } from 'luxon'

/** Where times are looked up: the zone of the account, and its holidays. */
export interface Calendar {
  timeZone: string
  /** whether a day (`2026-12-25`) is a public holiday */
  isHoliday(day: string): boolean
}

/** How far ahead the next opening is looked for. */
export const searchDaysMax = 31

const minuteMs = 60_000

/**
 * Whether a rule with these times runs at a moment, pure. Wall clock time decides: an hour that is repeated when the clocks
 * go back counts both times, and one that is skipped never comes.
 */
export function isOpen(times: ExecutionTimes, at: Date, calendar: Calendar): boolean {
  const local = DateTime.fromJSDate(at, { zone: calendar.timeZone })
  const today = local.startOf('day')
  if (times.windows.length === 0) return isDay(times, dayOf(today), calendar)
  const minute = local.hour * 60 + local.minute
  const days = { today, yesterday: today.minus({ days: 1 }) }
  return times.windows.some(({ days: weekdays, from, to }) => {
    const begins = (day: DateTime) => weekdays.includes(day.weekday) && isDay(times, dayOf(day), calendar)
    const [start, end] = [minuteOf(from), minuteOf(to)]
    if (start < end) return minute >= start && minute < end && begins(days.today)
    return (minute >= start && begins(days.today)) || (minute < end && begins(days.yesterday))
  })
}

/**
 * The first moment from now on at which such a rule runs, to the minute; null: not within `searchDaysMax` days.
 */
export function nextOpening(times: ExecutionTimes, now: Date, calendar: Calendar): Date | null {
  if (isOpen(times, now, calendar)) return now
  const first = DateTime.fromJSDate(now, { zone: calendar.timeZone }).startOf('day')
  for (let count = 0; count <= searchDaysMax; count++) {
    const found = openingsOf(times, first.plus({ days: count }))
      .filter((ms) => ms > now.getTime())
      .sort((a, b) => a - b)
      .find((ms) => isOpen(times, new Date(ms), calendar))
    if (found !== undefined) return new Date(found)
  }
  return null
}

/**
 * Every moment of a day at which a rule may begin to run: midnight, the begin of a window (twice when the clock passes it
 * twice), and the moment at which the clocks change.
 */
function openingsOf({ windows }: ExecutionTimes, day: DateTime): number[] {
  const start = day.startOf('day').toMillis()
  const end = day.plus({ days: 1 }).startOf('day').toMillis()
  const before = offsetAt(day, start)
  const after = offsetAt(day, end)
  const midnight = Date.UTC(day.year, day.month - 1, day.day)
  const begins = windows.flatMap(({ from }) => {
    const wall = midnight + minuteOf(from) * minuteMs
    return [wall - before, wall - after]
  })
  const change = before === after ? [] : [changeBetween(day, start, end)]
  return [start, ...begins, ...change].filter((ms) => ms >= start && ms < end)
}

function offsetAt(day: DateTime, ms: number): number {
  return DateTime.fromMillis(ms, { zone: day.zone }).offset * minuteMs
}

/** The first minute with the offset of `end`. */
function changeBetween(day: DateTime, start: number, end: number): number {
  const offset = offsetAt(day, end)
  let [low, high] = [start, end]
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
    if (offsetAt(day, middle) === offset) high = middle
    else low = middle
  }
  return high
}

function isDay({ dates, holidays }: ExecutionTimes, day: string, { isHoliday }: Calendar): boolean {
  if (dates.length > 0 && !dates.some(({ from, to }) => from <= day && day <= to)) return false
  return holidays === null || isHoliday(day) === (holidays.on === 'only')
}

function dayOf(day: DateTime): string {
  return day.toFormat('yyyy-MM-dd')
}

function minuteOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
}
