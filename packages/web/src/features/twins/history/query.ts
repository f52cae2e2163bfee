import type { AggregationDuration, AggregationMethod } from '@leitstand/contract/series'
import { intervalFor } from '../../../lib/range.ts'
import type { ChartSeries } from '../../../ui/chart/Chart.tsx'
import { bridgeGaps } from '../states/values.ts'

/** Interval of the history: automatic by the length of the range, a fixed one, or raw values. */
export type Interval = 'auto' | AggregationDuration

/** Available intervals, as in the contract but without loading its schemas. */
export const intervals: readonly AggregationDuration[] = ['5m', '15m', '1h', '6h', '1d', '1w', '1mo']
export const methods: readonly AggregationMethod[] = ['avg', 'min', 'max', 'sum', 'median', 'count', 'latest']

export interface HistoryView {
  interval: Interval
  method: AggregationMethod
  overlayMin: boolean
  overlayMax: boolean
  /** the last 50 raw values */
  raw: boolean
  smooth: boolean
  hideEmpty: boolean
}

export const defaultView: HistoryView = {
  interval: 'auto',
  method: 'avg',
  overlayMin: false,
  overlayMax: false,
  raw: false,
  smooth: false,
  hideEmpty: false,
}

const intervalMs: Record<AggregationDuration, number> = {
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
  '1mo': 2_592_000_000,
}

/** Maximum points of a chart. */
const pointsMax = 2000

/** Whether an interval gives more points in a range than a chart can take. */
export function tooFine(interval: AggregationDuration, lengthMs: number): boolean {
  return lengthMs / intervalMs[interval] > pointsMax
}

/** The interval to request; null: raw values, downsampled by the server if there are too many. */
export function effectiveInterval(view: HistoryView, lengthMs: number): AggregationDuration | null {
  if (view.interval === 'auto') return intervalFor(lengthMs)
  if (!tooFine(view.interval, lengthMs)) return view.interval
  return intervals.find((interval) => !tooFine(interval, lengthMs)) ?? '1mo'
}

type Points = readonly (readonly [number, unknown])[]

/** The parts of a series that the history draws. */
export interface HistoryReply {
  points: Points
  truncated: boolean
  timeZone: string
  min?: Points | undefined
  max?: Points | undefined
}

/** Series of the history chart: the values, with thin lines for minimum and maximum. */
export function historySeries(
  reply: Pick<HistoryReply, 'points' | 'min' | 'max'>,
  names: { main: string; min: string; max: string; unit: string; step: boolean },
  hideEmpty: boolean,
): ChartSeries[] {
  const clean = (points: Points) =>
    hideEmpty ? points.filter(([, value]) => value !== null) : bridgeGaps(points)
  const companion = (key: 'min' | 'max', points: Points): ChartSeries => ({
    key,
    name: names[key],
    unit: names.unit,
    points: clean(points),
    secondary: true,
  })
  return [
    { key: 'main', name: names.main, unit: names.unit, points: clean(reply.points), step: names.step },
    ...(reply.min ? [companion('min', reply.min)] : []),
    ...(reply.max ? [companion('max', reply.max)] : []),
  ]
}
