import { type WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { LiveValue } from '@leitstand/contract/live'
import { describe, expect, it } from 'vitest'
import { mergeLive } from './live.ts'

const at = (second: number) => Date.UTC(2026, 10, 20, 8, 0, second)
const iso = (second: number) => new Date(at(second)).toISOString()
const live = (stateId: number, value: number, second: number): LiveValue => ({
  stateId,
  twinId: 1,
  key: 'k',
  value,
  timeMs: at(second),
})

const frame = {
  title: '',
  hideHeader: false,
  floatHeader: false,
  borderless: false,
  size: { columns: 6, minHeightPx: 200 },
}
const chart = (kind: 'line' | 'gauge', gaugeValue: 'latest' | 'max' = 'latest') =>
  WidgetDefinition.parse({ ...frame, type: 'chart', chartOptions: { kind, stateIds: [1], gaugeValue } })

const series = (points: [number, number][]): WidgetData['series'] => [
  {
    stateId: 1,
    title: 'T',
    twinId: 1,
    twinTitle: 'R',
    unit: '',
    decimals: null,
    timeZone: 'UTC',
    points,
    truncated: false,
  },
]
const tile = (value: number | null, time: string | null) => ({
  stateId: 1,
  twinId: 1,
  title: 'T',
  twinTitle: 'R',
  unit: '',
  decimals: null,
  value,
  time,
  category: 'digitalTwin' as const,
})

function merge(
  data: Omit<WidgetData, 'widgetId' | 'error'>,
  definition: WidgetDefinition,
  values: LiveValue[],
) {
  const before: WidgetData[] = [{ widgetId: 9, error: null, ...data }]
  const result = mergeLive(before, values, {
    definitions: new Map([[9, definition]]),
    fromMs: at(0),
    toMs: at(100),
  })
  return { before, widget: result.widgets[0], ...result }
}

describe('mergeLive', () => {
  it('appends points to charts of raw values and lets old ones go', () => {
    const { widget, stale } = merge(
      {
        series: series([
          [at(0) - 1, 1],
          [at(5), 2],
        ]),
        duration: 'raw',
      },
      chart('line'),
      [live(1, 4, 7), live(1, 3, 6), live(1, 9, 5), live(2, 8, 8)],
    )
    expect(widget?.series?.[0]?.points).toEqual([
      [at(5), 2],
      [at(6), 3],
      [at(7), 4],
    ])
    expect(stale).toBe(false)
  })

  it('asks to read intervals again instead of guessing them', () => {
    const { widgets, before, stale } = merge(
      { series: series([[at(1), 1]]), duration: '1h' },
      chart('line'),
      [live(1, 4, 7)],
    )
    expect(widgets).toBe(before)
    expect(stale).toBe(true)
    expect(merge({ series: series([]), duration: '1h' }, chart('line'), [live(2, 4, 7)]).stale).toBe(false)
  })

  it('sets gauges of the latest value, and reads other gauges again', () => {
    const latest = merge({ values: [tile(1, iso(1))] }, chart('gauge'), [live(1, 4, 7)])
    expect(latest.widget?.values?.[0]).toMatchObject({ value: 4, time: iso(7) })
    const max = merge({ values: [tile(1, null)] }, chart('gauge', 'max'), [live(1, 4, 7)])
    expect(max.widgets).toBe(max.before)
    expect(max.stale).toBe(true)
  })

  it('updates tiles with their curve, never backwards', () => {
    const definition: WidgetDefinition = {
      ...frame,
      type: 'value',
      valueOptions: { stateIds: [1], sparkline: true },
    }
    const data = { values: [tile(1, iso(5))], series: series([[at(5), 1]]) }
    const { widget } = merge(data, definition, [live(1, 2, 6)])
    expect(widget?.values?.[0]?.value).toBe(2)
    expect(widget?.series?.[0]?.points).toHaveLength(2)
    const late = merge(data, definition, [live(1, 7, 4)])
    expect(late.widgets).toBe(late.before)
  })

  it('updates cells of tables and points of maps', () => {
    const table = {
      columns: [{ key: 'k', title: 'K', unit: '' }],
      rows: [
        {
          twinId: 1,
          title: 'A',
          category: 'digitalTwin' as const,
          cells: [{ stateId: 1, value: 1, time: null }, null],
        },
        {
          twinId: 2,
          title: 'B',
          category: 'digitalTwin' as const,
          cells: [{ stateId: 5, value: 1, time: null }],
        },
      ],
      total: 2,
    }
    const { widget } = merge({ table } as WidgetData, WidgetDefinition.parse({ type: 'twin-table' }), [
      live(1, 3, 1),
    ])
    expect(widget?.table?.rows[0]?.cells[0]).toMatchObject({ value: 3, time: iso(1) })
    expect(widget?.table?.rows[1]).toBe(table.rows[1])

    const state = {
      stateId: 1,
      title: 'T',
      unit: '',
      decimals: null,
      value: 1,
      time: iso(0),
      visualization: { kind: 'value' as const },
    }
    const map = {
      points: [{ twinId: 1, title: 'A', category: 'digitalTwin' as const, latitude: 1, longitude: 1, state }],
      total: 1,
    }
    const onMap = merge({ map } as WidgetData, WidgetDefinition.parse({ type: 'twin-map' }), [live(1, 3, 1)])
    expect(onMap.widget?.map?.points[0]?.state?.value).toBe(3)
  })

  it('leaves widgets alone that it does not know', () => {
    const before: WidgetData[] = [{ widgetId: null, error: null, values: [tile(1, null)] }]
    expect(mergeLive(before, [live(1, 2, 1)], { definitions: new Map(), fromMs: 0, toMs: 1 }).widgets).toBe(
      before,
    )
  })
})
