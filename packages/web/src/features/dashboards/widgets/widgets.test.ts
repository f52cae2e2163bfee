import { WidgetDefinition } from '@leitstand/contract/dashboards'
import { type WidgetKind, widgetKindOf } from '@leitstand/contract/dashboards/kinds'
import { describe, expect, it } from 'vitest'
import { isReady, newWidget, offeredKinds, widgetFaults, widgets } from './index.ts'

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
