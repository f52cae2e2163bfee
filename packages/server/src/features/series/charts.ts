import {
  type AggregationDuration,
  type AggregationMethod,
  type Series,
  seriesLimits,
} from '@leitstand/contract/series'
import type { Db } from '../../platform/db/index.ts'
import { readIntervals } from './aggregates.store.ts'
import { chooseDuration, intervalsOf } from './intervals.ts'
import { readEnvelope, readRange, type SeriesHead } from './store.ts'
import { type ChartPoint, markGaps, thinMinMax } from './thin.ts'

export interface Range {
  start: Date
  end: Date
}

export interface ChartOptions {
  method: AggregationMethod
  /** absent: chosen from the range */
  duration?: AggregationDuration | 'raw' | undefined
  timeZone?: string | undefined
  pointsMax?: number | undefined
}

/** A series with its minimum, maximum and latest series, as returned by `search-aggregated`. */
export type IntervalSeries = Series & { min?: ChartPoint[]; max?: ChartPoint[]; latest?: ChartPoint[] }

/** Series for charts: raw values or intervals, at most `pointsMax` points each; gaps are null points. */
export async function chartSeries(
  db: Db,
  heads: readonly SeriesHead[],
  range: Range,
  options: ChartOptions,
): Promise<{ duration: AggregationDuration | 'raw'; series: Series[] }> {
  const pointsMax = options.pointsMax ?? seriesLimits.pointsMax
  const duration = options.duration ?? chooseDuration(range.start.getTime(), range.end.getTime(), pointsMax)
  if (duration === 'raw') return { duration, series: await rawSeries(db, heads, range, pointsMax) }
  const series = await intervalSeries(db, heads, range, { ...options, duration }, pointsMax)
  return { duration, series }
}

/**
 * Raw values of a range, thinned by min-max if there are more than `pointsMax`, with pauses marked as gaps.
 */
export async function rawSeries(
  db: Db,
  heads: readonly SeriesHead[],
  range: Range,
  pointsMax: number,
): Promise<Series[]> {
  const values = await readRange(
    db,
    heads.map(({ stateId }) => stateId),
    range,
    pointsMax + 1,
  )
  const series: Series[] = []
  for (const head of heads) {
    const found = values.get(head.stateId) ?? []
    const truncated = found.length > pointsMax
    const numeric = found.some(({ value }) => typeof value === 'number')
    const points =
      truncated && numeric
        ? await readEnvelope(db, head.stateId, range, Math.floor(pointsMax / 2))
        : found.slice(-pointsMax)
    series.push(
      toSeries(
        head,
        thinMinMax(markGaps(points.map(({ timeMs, value }) => [timeMs, value])), pointsMax),
        truncated,
      ),
    )
  }
  return series
}

/** Values by interval; intervals without values are null points. */
export async function intervalSeries(
  db: Db,
  heads: readonly SeriesHead[],
  range: Range,
  options: {
    method: AggregationMethod
    duration: AggregationDuration
    timeZone?: string | undefined
    min?: boolean
    max?: boolean
    latest?: boolean
  },
  pointsMax: number,
): Promise<IntervalSeries[]> {
  const series: IntervalSeries[] = []
  for (const [timeZone, group] of byTimeZone(heads, options.timeZone)) {
    const rows = await readIntervals(
      db,
      group.map(({ stateId }) => stateId),
      range,
      {
        method: options.method,
        duration: options.duration,
        timeZone,
        extremes: Boolean(options.min || options.max),
        latest: Boolean(options.latest),
      },
    )
    const starts = intervalsOf(
      range.start.getTime(),
      range.end.getTime(),
      options.duration,
      timeZone,
      pointsMax,
    )
    const byState = Map.groupBy(rows, ({ stateId }) => stateId)
    for (const head of group) {
      const own = byState.get(head.stateId) ?? []
      const draw = (of: (row: (typeof own)[number]) => ChartPoint[1]) =>
        fillGaps(
          own.map((row): ChartPoint => [row.startMs, of(row)]),
          starts,
          pointsMax,
        )
      series.push({
        ...toSeries(
          head,
          draw((row) => row.value),
          own.length > pointsMax,
        ),
        ...(options.min ? { min: draw((row) => row.min) } : {}),
        ...(options.max ? { max: draw((row) => row.max) } : {}),
        ...(options.latest ? { latest: draw((row) => row.latest) } : {}),
      })
    }
  }
  const order = new Map(heads.map((head, index) => [head.stateId, index]))
  return series.toSorted((a, b) => (order.get(a.stateId) ?? 0) - (order.get(b.stateId) ?? 0))
}

/**
 * Marks intervals without a value as gaps. If a series reports less often than the interval length (a reading
 * every half hour in intervals of five minutes), only pauses that are long for its own rhythm count as gaps.
 */
function fillGaps(points: ChartPoint[], starts: number[] | null, pointsMax: number): ChartPoint[] {
  const first = points[0]?.[0]
  const last = points.at(-1)?.[0]
  if (starts === null || first === undefined || last === undefined) return thinMinMax(points, pointsMax)
  const touched = starts.filter((start) => start >= first && start <= last)
  if (points.length >= 4 && touched.length > points.length * 1.5) return markGaps(points)
  const values = new Map(points)
  return touched.map((start) => [start, values.get(start) ?? null])
}

function byTimeZone(heads: readonly SeriesHead[], timeZone: string | undefined): Map<string, SeriesHead[]> {
  return Map.groupBy(heads, (head) => timeZone ?? head.timeZone)
}

function toSeries({ key: _, ...head }: SeriesHead, points: ChartPoint[], truncated: boolean): Series {
  return { ...head, points, truncated }
}
