import type { TimeRange } from '../timeRanges.ts'

export const periodUnits = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type PeriodUnit = (typeof periodUnits)[number]

/** A length of time by the calendar of a time zone. */
export interface Span {
  count: number
  unit: PeriodUnit
}

/** A predefined period, or one of its own length. */
export type Period = { range: TimeRange } | Span

export const periodLimits = { countMax: 1_000, daysMax: 731 } as const

const spans: Record<TimeRange, Span> = {
  '15m': { count: 15, unit: 'minute' },
  '30m': { count: 30, unit: 'minute' },
  '1h': { count: 1, unit: 'hour' },
  '3h': { count: 3, unit: 'hour' },
  '6h': { count: 6, unit: 'hour' },
  '12h': { count: 12, unit: 'hour' },
  '24h': { count: 24, unit: 'hour' },
  '2d': { count: 2, unit: 'day' },
  '7d': { count: 7, unit: 'day' },
  '2w': { count: 2, unit: 'week' },
  '1M': { count: 1, unit: 'month' },
  '3M': { count: 3, unit: 'month' },
  '6M': { count: 6, unit: 'month' },
  '1Y': { count: 1, unit: 'year' },
}

/** The length of a period. */
export function spanOf(period: Period): Span {
  return 'range' in period ? spans[period.range] : period
}

const dayMs = 86_400_000
const nominal: Record<PeriodUnit, number> = {
  minute: dayMs / 1440,
  hour: dayMs / 24,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  year: 365 * dayMs,
}

/** Length in milliseconds, with months of 30 and years of 365 days. */
export function nominalMs({ count, unit }: Span): number {
  return count * nominal[unit]
}

/** Whether a period is longer than a time series may be looked back on. */
export function isTooLong(period: Period): boolean {
  return nominalMs(spanOf(period)) > periodLimits.daysMax * dayMs
}
