import type { AggregationDuration } from '@leitstand/contract/series'
import { DateTime } from 'luxon'
import { offsetAt } from './offsets.ts'

const minute = 60_000
const hourMs = 60 * minute
const dayMs = 24 * hourMs
/** 1970-01-01 was a Thursday. */
const mondayMs = 4 * dayMs

/** Lengths of intervals with a fixed duration, in milliseconds. */
export const fixedMs: Partial<Record<AggregationDuration, number>> = { '5m': 5 * minute, '15m': 15 * minute }

/** Nominal lengths, to choose an interval for a range. */
export const nominalMs: Record<AggregationDuration, number> = {
  '5m': 5 * minute,
  '15m': 15 * minute,
  '1h': 60 * minute,
  '6h': 360 * minute,
  '1d': 1440 * minute,
  '1w': 10_080 * minute,
  '1mo': 43_830 * minute,
}

/**
 * Start of the interval that contains a time, in milliseconds since 1970. Hours and longer intervals follow
 * the time zone, so a day has 23 or 25 hours when the clocks change; weeks start on Monday.
 */
export function intervalStart(timeMs: number, duration: AggregationDuration, timeZone: string): number {
  const fixed = fixedMs[duration]
  if (fixed !== undefined) return Math.floor(timeMs / fixed) * fixed
  const offset = offsetAt(timeMs, timeZone)
  const start = localStart(timeMs + offset, duration) - offset
  if (offsetAt(start, timeZone) === offset) {
    return duration === '1h' ? start : firstOfTwo(start, offset, timeZone)
  }
  // The clocks have changed in between.
  return duration === '1h' ? changeBetween(start, timeMs, timeZone) : wallStart(timeMs, duration, timeZone)
}

/** Start of the interval after the one that starts at `startMs`. */
export function nextInterval(startMs: number, duration: AggregationDuration, timeZone: string): number {
  const fixed = fixedMs[duration]
  if (fixed !== undefined) return startMs + fixed
  const offset = offsetAt(startMs, timeZone)
  const next = localNext(startMs + offset, duration) - offset
  if (offsetAt(next, timeZone) === offset) return next
  return duration === '1h' ? changeBetween(startMs, next, timeZone) : wallNext(startMs, duration, timeZone)
}

/** Start of the interval that contains a local time, ignoring clock changes. */
function localStart(localMs: number, duration: AggregationDuration): number {
  const floor = (size: number, shift = 0) => Math.floor((localMs - shift) / size) * size + shift
  switch (duration) {
    case '1h':
      return floor(hourMs)
    case '6h':
      return floor(6 * hourMs)
    case '1d':
      return floor(dayMs)
    case '1w':
      return floor(7 * dayMs, mondayMs)
    default: {
      const local = new Date(localMs)
      return Date.UTC(local.getUTCFullYear(), local.getUTCMonth())
    }
  }
}

function localNext(localMs: number, duration: AggregationDuration): number {
  if (duration !== '1mo') return localStart(localMs, duration) + nominalMs[duration]
  const local = new Date(localMs)
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1)
}

/** Clocks are never put back by more than this. */
const putBackMaxMs = 3 * hourMs

/**
 * The first of two moments with the same local time when clocks are put back, as in Havana where midnight
 * occurs twice; `startMs` itself if the local time occurs once or `startMs` is already the first.
 */
function firstOfTwo(startMs: number, offset: number, timeZone: string): number {
  const offsetBefore = offsetAt(startMs - putBackMaxMs, timeZone)
  if (offsetBefore <= offset) return startMs
  const first = startMs - (offsetBefore - offset)
  return offsetAt(first, timeZone) === offsetBefore ? first : startMs
}

/** The time of the clock change after `fromMs` and not after `toMs`; an hour also ends there. */
function changeBetween(fromMs: number, toMs: number, timeZone: string): number {
  const offset = offsetAt(toMs, timeZone)
  let [before, after] = [fromMs, toMs]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle, timeZone) === offset) after = middle
    else before = middle
  }
  return after
}

function wallStart(timeMs: number, duration: AggregationDuration, timeZone: string): number {
  const local = DateTime.fromMillis(timeMs, { zone: timeZone })
  switch (duration) {
    case '6h':
      return local
        .set({ hour: Math.floor(local.hour / 6) * 6, minute: 0, second: 0, millisecond: 0 })
        .toMillis()
    case '1d':
      return local.startOf('day').toMillis()
    case '1w':
      return local.startOf('week').toMillis()
    default:
      return local.startOf('month').toMillis()
  }
}

function wallNext(startMs: number, duration: AggregationDuration, timeZone: string): number {
  const local = DateTime.fromMillis(startMs, { zone: timeZone })
  if (duration === '6h') {
    // local time: 0, 6, 12, 18; the interval with a clock change has 5 or 7 hours
    const hour = local.hour + 6
    return hour >= 24
      ? local.plus({ days: 1 }).startOf('day').toMillis()
      : local.set({ hour, minute: 0, second: 0, millisecond: 0 }).toMillis()
  }
  const step = duration === '1d' ? { days: 1 } : duration === '1w' ? { weeks: 1 } : { months: 1 }
  return local.plus(step).toMillis()
}

/** Starts of the first `max` intervals that overlap a range. */
export function firstIntervals(
  startMs: number,
  endMs: number,
  duration: AggregationDuration,
  timeZone: string,
  max: number,
): number[] {
  const starts: number[] = []
  let at = intervalStart(startMs, duration, timeZone)
  for (; at < endMs && starts.length < max; at = nextInterval(at, duration, timeZone)) starts.push(at)
  return starts
}

/**
 * Starts of all intervals that overlap a range.
 * @param max with more intervals, returns null; the caller uses a longer interval or does not fill gaps
 */
export function intervalsOf(
  startMs: number,
  endMs: number,
  duration: AggregationDuration,
  timeZone: string,
  max: number,
): number[] | null {
  const starts = firstIntervals(startMs, endMs, duration, timeZone, max + 1)
  return starts.length > max ? null : starts
}

/** The shortest interval with at most `pointsMax` intervals in the range; `raw` for short ranges. */
export function chooseDuration(
  startMs: number,
  endMs: number,
  pointsMax: number,
): AggregationDuration | 'raw' {
  const lengthMs = endMs - startMs
  if (lengthMs <= 6 * 60 * minute) return 'raw'
  const durations = Object.keys(nominalMs) as AggregationDuration[]
  const aimed = Math.min(pointsMax, 500)
  return durations.find((duration) => lengthMs / nominalMs[duration] <= aimed) ?? '1mo'
}
