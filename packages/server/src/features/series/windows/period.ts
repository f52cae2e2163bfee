import { nominalMs, type PeriodUnit, type Span } from '@leitstand/contract/states/periods'
import { DateTime, type DurationLikeObject } from 'luxon'
import { offsetAt } from '../offsets.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** 1970-01-05 was a Monday. */
const mondayMs = 4 * dayMs

/** A period up to now; `endMs`: when the next one begins, null for a period that moves with the time. */
export interface Bounds {
  fromMs: number
  endMs: number | null
}

/** The period back from a time, or the one aligned to the clock of a time zone that contains it. */
export function periodAt(span: Span, aligned: boolean, timeMs: number, timeZone: string): Bounds {
  if (!aligned) return { fromMs: shifted(timeMs, span, -1, timeZone), endMs: null }
  const offset = offsetAt(timeMs, timeZone)
  const { start, next } = localBounds(span, timeMs + offset)
  if (next - start > hourMs) {
    const endMs = firstAt(next, timeZone)
    return { fromMs: firstAt(start, timeZone), endMs: endMs > timeMs ? endMs : timeMs + 1 }
  }
  // Up to an hour, both of two hours with the same name have periods of their own.
  const fromMs = start - offset
  return { fromMs, endMs: Math.min(fromMs + (next - start), firstAfter(next, timeMs, timeZone)) }
}

/** Start of the period before the one that starts at `fromMs`. */
export function startBefore(span: Span, aligned: boolean, fromMs: number, timeZone: string): number {
  return aligned ? periodAt(span, true, fromMs - 1, timeZone).fromMs : shifted(fromMs, span, -1, timeZone)
}

const luxonUnit: Record<PeriodUnit, keyof DurationLikeObject> = {
  minute: 'minutes',
  hour: 'hours',
  day: 'days',
  week: 'weeks',
  month: 'months',
  year: 'years',
}

/** A time moved by a number of periods, by the calendar of the time zone. */
export function shifted(timeMs: number, { count, unit }: Span, times: number, timeZone: string): number {
  if (unit === 'minute' || unit === 'hour') return timeMs + times * nominalMs({ count, unit })
  return DateTime.fromMillis(timeMs, { zone: timeZone })
    .plus({ [luxonUnit[unit]]: times * count })
    .toMillis()
}

/** Start of the period that contains a local time, and of the next one, as local times. */
function localBounds({ count, unit }: Span, localMs: number): { start: number; next: number } {
  if (unit === 'month' || unit === 'year') {
    const months = unit === 'year' ? 12 * count : count
    const local = new Date(localMs)
    const month = local.getUTCFullYear() * 12 + local.getUTCMonth()
    const first = Math.floor(month / months) * months
    return { start: monthMs(first), next: monthMs(first + months) }
  }
  const size = nominalMs({ count, unit })
  if (size >= dayMs) {
    const start = Math.floor((localMs - mondayMs) / size) * size + mondayMs
    return { start, next: start + size }
  }
  // Lengths that do not divide a day begin again at midnight.
  const midnight = Math.floor(localMs / dayMs) * dayMs
  const start = midnight + Math.floor((localMs - midnight) / size) * size
  return { start, next: Math.min(start + size, midnight + dayMs) }
}

const monthMs = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12)

/** The first moment with a local time; where the clocks skip it, the moment they are put forward. */
function firstAt(localMs: number, timeZone: string): number {
  const before = localMs - offsetAt(localMs - dayMs, timeZone)
  const after = localMs - offsetAt(localMs + dayMs, timeZone)
  const isAt = (ms: number) => ms + offsetAt(ms, timeZone) === localMs
  const [first, second] = before < after ? [before, after] : [after, before]
  if (isAt(first)) return first
  return isAt(second) ? second : before
}

function firstAfter(localMs: number, timeMs: number, timeZone: string): number {
  const first = firstAt(localMs, timeZone)
  return first > timeMs ? first : Number.POSITIVE_INFINITY
}
