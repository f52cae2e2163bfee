import type { ChartOptions, WidgetDefinition } from '@leitstand/contract/dashboards'

/** Kinds of widgets of the gallery; line, bar and gauge are charts. */
export const widgetKinds = ['line', 'bar', 'gauge', 'value', 'twin-table', 'twin-map', 'empty'] as const
export type WidgetKind = (typeof widgetKinds)[number]

/** The kind of a definition, as the gallery names it; null for types the gallery does not offer. */
export function kindOf({ type, chartOptions }: WidgetDefinition): WidgetKind | null {
  if (type === 'chart') return chartOptions?.kind ?? 'line'
  return widgetKinds.find((kind) => kind === type) ?? null
}

const emptyChart: ChartOptions = {
  kind: 'line',
  stateIds: [],
  method: 'avg',
  smooth: false,
  area: false,
  thresholds: [],
  gaugeValue: 'latest',
}

const sizes: Record<WidgetKind, { columns: number; minHeightPx: number }> = {
  line: { columns: 6, minHeightPx: 320 },
  bar: { columns: 6, minHeightPx: 320 },
  gauge: { columns: 3, minHeightPx: 260 },
  value: { columns: 12, minHeightPx: 140 },
  'twin-table': { columns: 6, minHeightPx: 320 },
  'twin-map': { columns: 6, minHeightPx: 400 },
  empty: { columns: 12, minHeightPx: 80 },
}

/** A new widget of a kind, nothing chosen yet. */
export function newWidget(kind: WidgetKind): WidgetDefinition {
  const frame = { title: '', hideHeader: false, floatHeader: false, borderless: false, size: sizes[kind] }
  if (kind === 'line' || kind === 'bar' || kind === 'gauge')
    return { ...frame, type: 'chart', chartOptions: { ...emptyChart, kind } }
  if (kind === 'value') return { ...frame, type: 'value', valueOptions: { stateIds: [], sparkline: true } }
  if (kind === 'twin-table')
    return {
      ...frame,
      type: 'twin-table',
      twinTableOptions: { twinIds: [], tags: [], stateKeys: [], limit: 20 },
    }
  if (kind === 'twin-map') return { ...frame, type: 'twin-map', twinMapOptions: { twinIds: [] } }
  return { ...frame, type: 'empty', borderless: true }
}

/** Whether a widget has enough chosen to show something. */
export function isReady(definition: WidgetDefinition): boolean {
  if (definition.type === 'chart') return (definition.chartOptions?.stateIds.length ?? 0) > 0
  if (definition.type === 'value') return (definition.valueOptions?.stateIds.length ?? 0) > 0
  return true
}

/** Faults of a definition by field, as keys below `dashboards.faults`; the server checks the same. */
export function widgetFaults(definition: WidgetDefinition): Record<string, string> {
  const faults: Record<string, string> = {}
  if (!isReady(definition)) faults.stateIds = 'stateIds'
  const options = definition.type === 'chart' ? definition.chartOptions : undefined
  if (options?.kind !== 'gauge') return faults
  const { min, max, lowerThreshold, upperThreshold } = options
  if (min !== undefined && max !== undefined && min >= max) faults.max = 'maxAboveMin'
  for (const [name, value] of Object.entries({ lowerThreshold, upperThreshold })) {
    if (value === undefined) continue
    if ((min !== undefined && value <= min) || (max !== undefined && value >= max)) faults[name] = 'inside'
  }
  if (lowerThreshold !== undefined && upperThreshold !== undefined && lowerThreshold >= upperThreshold)
    faults.upperThreshold = 'order'
  return faults
}

/** The order after a widget was dropped on another one's place. */
export function moved(ids: readonly number[], id: number, over: number): number[] {
  const from = ids.indexOf(id)
  const to = ids.indexOf(over)
  if (from < 0 || to < 0 || from === to) return [...ids]
  const next = ids.filter((each) => each !== id)
  next.splice(to, 0, id)
  return next
}

/** Columns of a grid of 12 that a widget may take. */
export const widths = [2, 3, 4, 6, 8, 9, 12] as const
