import type { AggregationDuration } from '@leitstand/contract/series'
import { DateTime } from 'luxon'

const minute = 60_000

/** Length of the intervals that are always equally long, in milliseconds. */
const fixedMs: Partial<Record<AggregationDuration, number>> = { '5m': 5 * minute, '15m': 15 * minute }

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
 * Start of the interval that holds a time, in milliseconds since 1970. Hours and longer intervals are cut in the time
 * zone, so a day has 23 or 25 hours when the clocks change; weeks start on Monday.
 */
export function intervalStart(timeMs: number, duration: AggregationDuration, timeZone: string): number {
  const fixed = fixedMs[duration]
  if (fixed !== undefined) return Math.floor(timeMs / fixed) * fixed
  const local = DateTime.fromMillis(timeMs, { zone: timeZone })
  switch (duration) {
    case '1h':
      return local.startOf('hour').toMillis()
    case '6h':
      return sixHours(local).toMillis()
    case '1d':
      return local.startOf('day').toMillis()
    case '1w':
      return local.startOf('week').toMillis()
    default:
      return local.startOf('month').toMillis()
  }
}

/** Start of the interval after the one that starts at `startMs`. */
export function nextInterval(startMs: number, duration: AggregationDuration, timeZone: string): number {
  const fixed = fixedMs[duration]
  if (fixed !== undefined) return startMs + fixed
  if (duration === '1h') return startMs + 60 * minute
  const local = DateTime.fromMillis(startMs, { zone: timeZone })
  if (duration === '6h') {
    // by the clock on the wall: 0, 6, 12, 18; the stretch with a clock change has 5 or 7 hours
    const hour = local.hour + 6
    return hour >= 24
      ? local.plus({ days: 1 }).startOf('day').toMillis()
      : local.set({ hour, minute: 0, second: 0, millisecond: 0 }).toMillis()
  }
  const step = duration === '1d' ? { days: 1 } : duration === '1w' ? { weeks: 1 } : { months: 1 }
  return local.plus(step).toMillis()
}

function sixHours(local: DateTime): DateTime {
  return local.set({ hour: Math.floor(local.hour / 6) * 6, minute: 0, second: 0, millisecond: 0 })
}

/**
 * Starts of all intervals that touch a range.
 * @param max more than this many answer null: the caller takes a longer interval or fills no gaps
 */
export function intervalsOf(
  startMs: number,
  endMs: number,
  duration: AggregationDuration,
  timeZone: string,
  max: number,
): number[] | null {
  const starts: number[] = []
  for (
    let at = intervalStart(startMs, duration, timeZone);
    at < endMs;
    at = nextInterval(at, duration, timeZone)
  ) {
    if (starts.length === max) return null
    starts.push(at)
  }
  return starts
}

/** The shortest interval with which a range has at most `pointsMax` of them; raw when values can be shown as they are. */
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
