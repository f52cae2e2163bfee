import { WidgetDefinition } from '@leitstand/contract/dashboards'
import { describe, expect, it } from 'vitest'
import { checkDefinition, referencesOf, withOwnOptions } from './definition.ts'

const gauge = (options: object) =>
  WidgetDefinition.parse({ type: 'chart', chartOptions: { kind: 'gauge', ...options } })

describe('checkDefinition', () => {
  it.each([
    [{}, []],
    [{ min: 0, max: 10, lowerThreshold: 2, upperThreshold: 8 }, []],
    [{ min: 10, max: 10 }, ['max']],
    [{ min: 0, max: 10, lowerThreshold: 0, upperThreshold: 10 }, ['lowerThreshold', 'upperThreshold']],
    [{ min: 0, max: 10, lowerThreshold: 8, upperThreshold: 2 }, ['upperThreshold']],
    [{ lowerThreshold: 1 }, []],
  ])('%o: %j', (options, fields) => {
    expect(checkDefinition(gauge(options)).map(({ path }) => path[1])).toEqual(fields)
  })

  it('leaves lines alone', () => {
    expect(
      checkDefinition(WidgetDefinition.parse({ type: 'chart', chartOptions: { min: 5, max: 1 } })),
    ).toEqual([])
  })
})

it('keeps the options of its type only', () => {
  const both = { chartOptions: { stateIds: [1] }, valueOptions: { stateIds: [2] }, title: 'T' }
  const value = withOwnOptions(WidgetDefinition.parse({ type: 'value', ...both }))
  expect(value).not.toHaveProperty('chartOptions')
  expect(value).toMatchObject({ title: 'T', valueOptions: { stateIds: [2] } })
  expect(withOwnOptions(WidgetDefinition.parse({ type: 'empty', ...both }))).not.toHaveProperty(
    'valueOptions',
  )
})

it('lists the states and twins it names, each once', () => {
  const definition = WidgetDefinition.parse({
    type: 'twin-table',
    chartOptions: { stateIds: [1, 2] },
    valueOptions: { stateIds: [2] },
    twinTableOptions: { parentTwinId: 5, twinIds: [6] },
    twinMapOptions: { parentTwinId: 5 },
  })
  expect(referencesOf(definition)).toEqual({ stateIds: [1, 2], twinIds: [5, 6] })
})
