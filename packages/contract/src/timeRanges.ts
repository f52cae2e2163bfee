/** Time ranges up to now for charts and dashboards, shortest first. `M` stands for months, `Y` for a year. */
export const timeRanges = [
  '15m',
  '30m',
  '1h',
  '3h',
  '6h',
  '12h',
  '24h',
  '2d',
  '7d',
  '2w',
  '1M',
  '3M',
  '6M',
  '1Y',
] as const
export type TimeRange = (typeof timeRanges)[number]
