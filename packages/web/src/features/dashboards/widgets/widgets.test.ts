import { WidgetDefinition } from '@leitstand/contract/dashboards'
import { describe, expect, it } from 'vitest'
import { isReady, kindOf, moved, newWidget, widgetFaults, widgetKinds } from './widgets.ts'

describe('newWidget', () => {
  it.each(widgetKinds)('%s is what the contract knows, and comes back as its kind', (kind) => {
    const widget = newWidget(kind)
    expect(WidgetDefinition.parse(widget)).toEqual(widget)
    expect(kindOf(widget)).toBe(kind)
  })
  it('is not ready before states are chosen', () => {
    expect(widgetKinds.filter((kind) => !isReady(newWidget(kind)))).toEqual(['line', 'bar', 'gauge', 'value'])
  })
})

it('finds what is wrong with a gauge', () => {
  const gauge = (options: object) => {
    const widget = newWidget('gauge')
    return {
      ...widget,
      chartOptions: { ...widget.chartOptions, stateIds: [1], ...options },
    } as WidgetDefinition
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

it('moves widgets to the place they are dropped on', () => {
  expect(moved([1, 2, 3, 4], 1, 3)).toEqual([2, 3, 1, 4])
  expect(moved([1, 2, 3, 4], 4, 2)).toEqual([1, 4, 2, 3])
  expect(moved([1, 2], 1, 9)).toEqual([1, 2])
})
