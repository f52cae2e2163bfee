import { type TimeRange, timeRanges } from '@leitstand/contract/timeRanges'
import { one, type UrlSearch } from './url.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Length of a preset in ms; months count 30 days, years 365. */
export const presetMs: Record<TimeRange, number> = {
  '15m': 15 * minuteMs,
  '30m': 30 * minuteMs,
  '1h': 60 * minuteMs,
  '3h': 3 * 60 * minuteMs,
  '6h': 6 * 60 * minuteMs,
  '12h': 12 * 60 * minuteMs,
  '24h': dayMs,
  '2d': 2 * dayMs,
  '7d': 7 * dayMs,
  '2w': 14 * dayMs,
  '1M': 30 * dayMs,
  '3M': 91 * dayMs,
  '6M': 182 * dayMs,
  '1Y': 365 * dayMs,
}

/** A preset that follows the present, or two fixed ends. */
export type Range = { preset: TimeRange } | { fromMs: number; toMs: number }

/** Whether a string is a range preset. */
export function isPreset(value: string | undefined): value is TimeRange {
  return timeRanges.some((preset) => preset === value)
}

/** Reads `?range=24h` or `?from=…&to=…` (ISO times); invalid values give the fallback. */
export function readRange(search: UrlSearch, fallback: TimeRange): Range {
  const fromMs = Date.parse(one(search, 'from') ?? '')
  const toMs = Date.parse(one(search, 'to') ?? '')
  if (Number.isFinite(fromMs) && Number.isFinite(toMs) && fromMs < toMs) return { fromMs, toMs }
  const preset = one(search, 'range')
  return { preset: isPreset(preset) ? preset : fallback }
}

/** The range's ends, relative to `nowMs`. */
export function rangeEnds(range: Range, nowMs: number): { fromMs: number; toMs: number } {
  return 'preset' in range ? { fromMs: nowMs - presetMs[range.preset], toMs: nowMs } : range
}

/** The next wider preset, or undefined if the range is the widest. */
export function widerPreset(range: Range): TimeRange | undefined {
  const length = 'preset' in range ? presetMs[range.preset] : range.toMs - range.fromMs
  return timeRanges.find((preset) => presetMs[preset] > length)
}

/** Interval that gives a chart of this range a few hundred points; null: raw values. */
export function intervalFor(lengthMs: number): '5m' | '15m' | '1h' | '6h' | '1d' | null {
  if (lengthMs <= 2 * dayMs) return null
  if (lengthMs <= 4 * dayMs) return '15m'
  if (lengthMs <= 31 * dayMs) return '1h'
  if (lengthMs <= 190 * dayMs) return '6h'
  return '1d'
}
