import { WidgetDefinition } from '@leitstand/contract/dashboards'
import { type WidgetKind, widgetKindOf } from '@leitstand/contract/dashboards/kinds'
import { describe, expect, it } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import en from '../../../locales/en.json' with { type: 'json' }
import { widths } from '../grid.ts'
import { isReady, kindText, newWidget, offeredKinds, widgetFaults, widgetFor, widgets } from './index.ts'

describe('newWidget', () => {
  it.each(Object.keys(widgets) as WidgetKind[])(
    '%s is what the contract knows, and comes back as its kind',
    (kind) => {
      const widget = newWidget(kind)
      expect(WidgetDefinition.parse(widget)).toEqual(widget)
      expect(widgetKindOf(widget)).toBe(kind)
    },
  )
  it('is not ready before states are chosen', () => {
    expect(offeredKinds.filter((kind) => !isReady(newWidget(kind)))).toEqual([
      'line',
      'bar',
      'gauge',
      'value',
    ])
  })
})

it('finds what is wrong with a gauge', () => {
  const gauge = (options: object) => {
    const chartOptions = { kind: 'gauge', stateIds: [1], ...options }
    return WidgetDefinition.parse({ type: 'chart', chartOptions })
  }
  expect(widgetFaults(gauge({}))).toEqual({})
  expect(widgetFaults(gauge({ min: 5, max: 5 }))).toEqual({ max: 'maxAboveMin' })
  expect(widgetFaults(gauge({ min: 0, max: 10, lowerThreshold: 0, upperThreshold: 11 }))).toEqual({
    lowerThreshold: 'inside',
    upperThreshold: 'inside',
  })
  expect(widgetFaults(gauge({ lowerThreshold: 3, upperThreshold: 2 }))).toEqual({ upperThreshold: 'order' })
  expect(widgetFaults(newWidget('line'))).toEqual({ stateIds: 'stateIds' })
})

describe('a widget of states', () => {
  const kinds = ['line', 'bar', 'gauge', 'value'] as const
  const withStates = (kind: (typeof kinds)[number], stateIds: number[]) => {
    const widget = newWidget(kind)
    return WidgetDefinition.parse(
      widget.type === 'value'
        ? { ...widget, valueOptions: { ...widget.valueOptions, stateIds } }
        : { ...widget, chartOptions: { ...('chartOptions' in widget ? widget.chartOptions : {}), stateIds } },
    )
  }

  it.each(kinds)('%s shows something as soon as it has a state', (kind) => {
    expect(isReady(withStates(kind, []))).toBe(false)
    expect(widgetFaults(withStates(kind, []))).toEqual({ stateIds: 'stateIds' })
    expect(isReady(withStates(kind, [7]))).toBe(true)
    expect(widgetFaults(withStates(kind, [7]))).toEqual({})
  })
})

describe('live values', () => {
  const mode = (widget: WidgetDefinition) => widgetFor(widget).live(widget)
  const gauge = (gaugeValue: string) =>
    WidgetDefinition.parse({ type: 'chart', chartOptions: { kind: 'gauge', stateIds: [1], gaugeValue } })

  it.each(['min', 'max'])('of a gauge that shows the %s are computed by the server', (value) => {
    expect(mode(gauge(value))).toBe('stale')
  })

  it('of a gauge that shows the latest are shown at once', () => {
    expect(mode(gauge('latest'))).toBe('merged')
  })

  it('of tiles also move their curves', () => {
    expect(mode(newWidget('value'))).toBe('tiles')
  })
})

describe('the gallery', () => {
  it('does not offer what cannot be shown yet', () => {
    expect(offeredKinds).not.toContain('nested-dashboard')
  })

  it.each(Object.keys(widgets) as WidgetKind[])('names the kind %s in both languages', (kind) => {
    for (const { dashboards } of [de, en]) expect(Object.keys(dashboards.kinds)).toContain(kind)
    expect(kindText(newWidget(kind))).toBe(`dashboards.kinds.${kind}`)
  })

  it('starts widgets in a size that the grid has', () => {
    for (const kind of offeredKinds) expect([...widths]).toContain(newWidget(kind).size.columns)
  })
})
