import { WidgetDefinition } from '@leitstand/contract/dashboards'
import { describe, expect, it } from 'vitest'
import { referencesOf, widgetFor } from './index.ts'

const gauge = (options: object) =>
  WidgetDefinition.parse({ type: 'chart', chartOptions: { kind: 'gauge', ...options } })

const check = (definition: WidgetDefinition) => widgetFor(definition).check(definition)

describe('check', () => {
  it.each([
    [{}, []],
    [{ min: 0, max: 10, lowerThreshold: 2, upperThreshold: 8 }, []],
    [{ min: 10, max: 10 }, ['max']],
    [{ min: 0, max: 10, lowerThreshold: 0, upperThreshold: 10 }, ['lowerThreshold', 'upperThreshold']],
    [{ min: 0, max: 10, lowerThreshold: 8, upperThreshold: 2 }, ['upperThreshold']],
    [{ lowerThreshold: 1 }, []],
  ])('%o: %j', (options, fields) => {
    expect(check(gauge(options)).map(({ path }) => path[1])).toEqual(fields)
  })

  it('leaves lines alone', () => {
    expect(check(WidgetDefinition.parse({ type: 'chart', chartOptions: { min: 5, max: 1 } }))).toEqual([])
  })
})

it('keeps the options of its type only', () => {
  const both = { chartOptions: { stateIds: [1] }, valueOptions: { stateIds: [2] }, title: 'T' }
  const value = WidgetDefinition.parse({ type: 'value', ...both })
  expect(value).not.toHaveProperty('chartOptions')
  expect(value).toMatchObject({ title: 'T', valueOptions: { stateIds: [2] } })
  expect(WidgetDefinition.parse({ type: 'empty', ...both })).not.toHaveProperty('valueOptions')
})

it('reads what was stored before charts had schemas of their own', () => {
  const before = {
    stateIds: [1],
    method: 'avg',
    smooth: false,
    area: false,
    thresholds: [],
    gaugeValue: 'max',
  }
  const stored = (options: object) =>
    WidgetDefinition.parse({ type: 'chart', title: 'T', chartOptions: { ...before, ...options } })
  expect(stored({ kind: 'gauge', min: 1 })).toMatchObject({
    chartOptions: { kind: 'gauge', stateIds: [1], gaugeValue: 'max', min: 1 },
  })
  expect(stored({ kind: 'bar', max: 5 })).toMatchObject({ chartOptions: { kind: 'bar', max: 5 } })
  expect(stored({})).toMatchObject({ chartOptions: { kind: 'line', smooth: false } })
  expect(WidgetDefinition.parse({ type: 'chart' })).toMatchObject({ chartOptions: { stateIds: [] } })
  expect(WidgetDefinition.parse({ type: 'twin-map' })).toMatchObject({ twinMapOptions: { twinIds: [] } })
})

it('lists the states and twins it names, each once', () => {
  const of = (definition: object) => referencesOf(WidgetDefinition.parse(definition))
  expect(of({ type: 'chart', chartOptions: { stateIds: [1, 2, 1] } })).toEqual({
    stateIds: [1, 2],
    twinIds: [],
  })
  expect(of({ type: 'chart', chartOptions: { kind: 'gauge', stateIds: [3] } }).stateIds).toEqual([3])
  expect(of({ type: 'value', valueOptions: { stateIds: [2, 2] } }).stateIds).toEqual([2])
  const selection = { parentTwinId: 5, twinIds: [6, 5] }
  expect(of({ type: 'twin-table', twinTableOptions: selection })).toEqual({ stateIds: [], twinIds: [5, 6] })
  expect(of({ type: 'twin-map', twinMapOptions: selection }).twinIds).toEqual([5, 6])
})
