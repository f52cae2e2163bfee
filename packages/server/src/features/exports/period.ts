import type { ExportRange, rangeUnits } from '@leitstand/contract/exports'
import type { AggregationDuration } from '@leitstand/contract/series'
import { DateTime } from 'luxon'
import { intervalStart, nextInterval } from '../series/index.ts'

/** A period in milliseconds since 1970, end excluded. */
export interface Period {
  startMs: number
  endMs: number
}

/**
 * The period of an export that begins now: at 11:00 the current day is from 00:00 to 11:00, the last day the whole day before.
 */
export function periodOf(range: ExportRange, timeZone: string, now: Date): Period {
  if ('start' in range) return { startMs: Date.parse(range.start), endMs: Date.parse(range.end) }
  const unit: (typeof rangeUnits)[number] = range.unit
  const begin = DateTime.fromJSDate(now, { zone: timeZone }).startOf(unit)
  if (range.which === 'current') return { startMs: begin.toMillis(), endMs: now.getTime() }
  return { startMs: begin.minus({ [unit]: 1 }).toMillis(), endMs: begin.toMillis() }
}

/**
 * Starts of the intervals that begin before `endMs`, the first being that which contains `fromMs`.
 * @param max the most that are returned; one more than wanted shows that there are more
 */
export function startsFrom(
  fromMs: number,
  endMs: number,
  { duration, timeZone }: { duration: AggregationDuration; timeZone: string },
  max: number,
): number[] {
  const starts: number[] = []
  for (
    let start = intervalStart(fromMs, duration, timeZone);
    start < endMs && starts.length < max;
    start = nextInterval(start, duration, timeZone)
  )
    starts.push(start)
  return starts
}
