import type { WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { LiveValue } from '@leitstand/contract/live'
import { appendPoints } from '../twins/pure.ts'
import { widgetFor } from './widgets/index.ts'

/** Maximum points per series with live values; as many as the server sends. */
const pointsMax = 2000

export interface MergeResult {
  widgets: readonly WidgetData[]
  /**
   * Only the server can compute the update (intervals, minima of a gauge), so the data has to be read again.
   */
  stale: boolean
}

interface MergeOptions {
  definitions: ReadonlyMap<number, WidgetDefinition>
  /** Start of the chart's range, in ms; older points are dropped. */
  fromMs: number
  toMs: number
}

/**
 * Merges live values into the widgets' data. Tiles, gauges of the latest value, tables and maps take the
 * newest value; charts of raw values gain a point. Unchanged widgets keep their object identity, so that only
 * changed ones render.
 */
export function mergeLive(
  widgets: readonly WidgetData[],
  live: readonly LiveValue[],
  options: MergeOptions,
): MergeResult {
  const newest = newestOf(live)
  let stale = false
  const next = widgets.map((data) => {
    const definition = data.widgetId === null ? undefined : options.definitions.get(data.widgetId)
    if (!definition) return data
    const merged = mergeWidget(data, definition, { ...options, live, newest })
    stale ||= merged.stale
    return merged.data
  })
  return next.every((data, index) => data === widgets[index]) ? { widgets, stale } : { widgets: next, stale }
}

function newestOf(live: readonly LiveValue[]): Map<number, LiveValue> {
  const newest = new Map<number, LiveValue>()
  for (const value of live) {
    const known = newest.get(value.stateId)
    if (!known || value.timeMs >= known.timeMs) newest.set(value.stateId, value)
  }
  return newest
}

interface WidgetMerge extends MergeOptions {
  live: readonly LiveValue[]
  newest: ReadonlyMap<number, LiveValue>
}

function mergeWidget(
  data: WidgetData,
  definition: WidgetDefinition,
  merge: WidgetMerge,
): { data: WidgetData; stale: boolean } {
  const { newest } = merge
  const isNews = (stateId: number) => newest.has(stateId)
  const mode = widgetFor(definition).live(definition)
  if (mode === 'stale') return { data, stale: data.values?.some(({ stateId }) => isNews(stateId)) ?? false }

  const values = changed(data.values, (value) => fresher(value, newest.get(value.stateId)))
  const raw = mode === 'tiles' || data.duration === undefined || data.duration === 'raw'
  const series = raw
    ? changed(data.series, (each) => {
        const points = withPoints(each.points, merge, each.stateId, mode === 'tiles')
        return points === each.points ? each : { ...each, points }
      })
    : data.series
  const rows = changed(data.table?.rows, (row) => {
    const cells = changed(row.cells, (cell) => (cell ? fresher(cell, newest.get(cell.stateId)) : cell))
    return cells === row.cells ? row : { ...row, cells: cells ?? [] }
  })
  const points = changed(data.map?.points, (point) => {
    const state = point.state ? fresher(point.state, newest.get(point.state.stateId)) : null
    return state === point.state ? point : { ...point, state }
  })
  const stale = !raw && (data.series?.some(({ stateId }) => isNews(stateId)) ?? false)
  const same =
    values === data.values &&
    series === data.series &&
    rows === data.table?.rows &&
    points === data.map?.points
  if (same) return { data, stale }
  return {
    stale,
    data: {
      ...data,
      ...(values ? { values } : {}),
      ...(series ? { series } : {}),
      ...(data.table && rows ? { table: { ...data.table, rows } } : {}),
      ...(data.map && points ? { map: { ...data.map, points } } : {}),
    },
  }
}

/** The list with its changed entries, or the same list if none changed. */
function changed<T>(list: T[] | undefined, change: (entry: T) => T): T[] | undefined {
  if (!list) return list
  const next = list.map(change)
  return next.every((entry, index) => entry === list[index]) ? list : next
}

function fresher<T extends { value: unknown; time: string | null }>(
  shown: T,
  news: LiveValue | undefined,
): T {
  if (!news || (shown.time !== null && news.timeMs <= Date.parse(shown.time))) return shown
  return { ...shown, value: news.value, time: new Date(news.timeMs).toISOString() }
}

type Points = NonNullable<WidgetData['series']>[number]['points']

/** Fraction of the range within which a new point of a tile's sparkline replaces the last one. */
const curveParts = 100

function withPoints(
  points: Points,
  { live, fromMs, toMs }: WidgetMerge,
  stateId: number,
  isTile: boolean,
): Points {
  const gapMs = isTile ? (toMs - fromMs) / curveParts : 0
  return appendPoints(points, live, stateId, { sinceMs: fromMs, max: pointsMax, gapMs }) as Points
}
