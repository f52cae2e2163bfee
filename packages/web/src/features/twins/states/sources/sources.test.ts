import { stateSources } from '@leitstand/contract/states'
import { describe, expect, test } from 'vitest'
import de from '../../../../locales/de.json' with { type: 'json' }
import en from '../../../../locales/en.json' with { type: 'json' }
import { emptyState, toForm, toInput } from '../form.ts'
import { isAggregate, sources, sourcesFor } from './index.ts'

const stored = { ...toInput(emptyState), key: 'key' }
const form = (change: object = {}) => ({ ...emptyState, ...change })

describe.each(stateSources)('the source %s', (source) => {
  test('has its name in both languages', () => {
    for (const { states } of [de, en]) expect(Object.keys(states.sources)).toContain(source)
  })

  test('keeps nothing of other sources', () => {
    const settings = Object.keys(
      sources[source].settings(form({ variable: 't', stateIds: [4], min: 0, max: 9 })),
    )
    const own = {
      none: [],
      connector: ['variable'],
      aggregate: ['stateIds', 'query', 'method', 'stale'],
      timeseries: ['stateIds', 'operation', 'period', 'aligned'],
      random: ['min', 'max', 'everySeconds'],
      system: ['figure'],
    }
    expect(settings.filter((key) => !own[sources[source].fields].includes(key as never))).toEqual([])
  })

  test('stays selectable where a state already has it', () => {
    for (const category of ['digitalTwin', 'virtualDevice'] as const)
      expect(sourcesFor(category, source)).toContain(source)
  })
})

describe('the sources that are offered', () => {
  test('begin with the one that is used most', () => {
    expect(sourcesFor('virtualDevice')[0]).toBe('connector')
    expect(sourcesFor('digitalTwin')[0]).toBe('virtual-device-aggregate')
  })

  test('are not those of a data hub that does not exist', () => {
    for (const category of ['digitalTwin', 'virtualDevice'] as const)
      for (const source of ['platform', 'iothub-aggregate'] as const)
        expect(sourcesFor(category)).not.toContain(source)
  })

  test('are figures of the platform only for twins', () => {
    expect(sourcesFor('digitalTwin')).toContain('system')
    expect(sourcesFor('virtualDevice')).not.toContain('system')
  })

  test('are each there once', () => {
    for (const source of stateSources)
      expect(sourcesFor('digitalTwin', source).filter((each) => each === source)).toHaveLength(1)
  })

  test('are computed exactly if they have states', () => {
    for (const source of stateSources)
      expect('stateIds' in sources[source].settings(form({ stateIds: [1] }))).toBe(isAggregate(source))
  })
})

describe('faults of a source', () => {
  const faults = (
    source: (typeof stateSources)[number],
    change: object,
    category: 'digitalTwin' | 'virtualDevice' = 'digitalTwin',
  ) => sources[source].faults(form(change), category)

  test.each([
    [{ connectorId: '3', identifier: 'A1' }, {}],
    [{ connectorId: null, identifier: 'A1' }, { connectorId: 'required' }],
    [{ connectorId: '3', identifier: '  ' }, { identifier: 'required' }],
    [{}, { connectorId: 'required', identifier: 'required' }],
  ])('of a connector for a twin: %j', (change, expected) => {
    expect(faults('connector', change)).toEqual(expected)
  })

  test('a device has its connector already', () => {
    expect(faults('connector', {}, 'virtualDevice')).toEqual({})
  })

  test.each([
    [{ min: 0, max: 1 }, {}],
    [{ min: -5, max: -4.5 }, {}],
    [{ min: 1, max: 1 }, { max: 'maxAboveMin' }],
    [{ min: 2, max: 1 }, { max: 'maxAboveMin' }],
    [{ max: 1 }, { min: 'required' }],
    [{ min: 0 }, { max: 'required' }],
    [{ min: 0, max: 1, valueType: 'text' }, { valueType: 'randomNumber' }],
  ])('of random numbers: %j', (change, expected) => {
    expect(faults('random', change)).toEqual(expected)
  })

  test.each(['aggregate', 'virtual-device-aggregate', 'iothub-aggregate', 'timeseries-aggregate'] as const)(
    '%s needs a state to compute from',
    (source) => {
      expect(faults(source, {})).toEqual({ stateIds: 'stateIds' })
      expect(faults(source, { stateIds: [7] })).toEqual({})
    },
  )
})

describe('an aggregate by query', () => {
  const of = (change: object) => form({ by: 'query', queryKey: 'level', ...change })

  test.each([
    [{}, { query: { key: 'level' }, method: 'avg' }],
    [
      {
        queryTwinId: '4',
        queryCategory: 'digitalTwin',
        queryTypes: ['room'],
        queryTags: ['t'],
        queryZones: ['z'],
      },
      {
        query: {
          key: 'level',
          twinId: 4,
          category: 'digitalTwin',
          types: ['room'],
          tags: ['t'],
          zones: ['z'],
        },
        method: 'avg',
      },
    ],
    [
      { staleCounts: 'dropped', staleMinutes: 5 },
      { query: { key: 'level' }, method: 'avg', stale: { afterSeconds: 300, counts: 'dropped' } },
    ],
  ])('has the settings %j', (change, expected) => {
    const { settings } = sources.aggregate
    expect(settings(of(change))).toEqual(expected)
    const again = toForm({ ...stored, source: 'aggregate', sourceSettings: settings(of(change)) })
    expect(settings(again)).toEqual(expected)
  })

  test('finds only devices where the source is devices', () => {
    expect(sources['virtual-device-aggregate'].settings(of({ queryCategory: 'digitalTwin' }))).toMatchObject({
      query: { category: 'virtualDevice' },
    })
  })

  test.each([
    [{ queryKey: '' }, { queryKey: 'required' }],
    [{ queryKey: 'a b' }, { queryKey: 'key' }],
    [{ staleCounts: 'unknown', staleMinutes: '' }, { staleMinutes: 'required' }],
    [{ stateIds: [] }, {}],
  ])('has faults: %j', (change, expected) => {
    expect(sources.aggregate.faults(of(change), 'digitalTwin')).toEqual(expected)
  })
})

describe('an aggregate of a time series', () => {
  const { settings, faults } = sources['timeseries-aggregate']
  const of = (change: object) => form({ stateIds: [7], ...change })

  test.each([
    [{}, { stateIds: [7], operation: 'avg', period: { range: '24h' }, aligned: false }],
    [
      { operation: 'sum', period: 'own', periodCount: 8, periodUnit: 'hour', aligned: true },
      { stateIds: [7], operation: 'sum', period: { count: 8, unit: 'hour' }, aligned: true },
    ],
    [
      { operation: 'valueDifference', aligned: true },
      { stateIds: [7], operation: 'valueDifference' },
    ],
    [{ stateIds: [7, 8] }, { stateIds: [7], operation: 'avg', period: { range: '24h' }, aligned: false }],
  ])('has the settings %j', (change, expected) => {
    expect(settings(of(change))).toEqual(expected)
    expect(
      toForm({ ...stored, source: 'timeseries-aggregate', sourceSettings: settings(of(change)) }),
    ).toMatchObject({
      operation: of(change).operation,
      stateIds: [7],
    })
  })

  test.each([
    [{ period: 'own', periodCount: '' }, { periodCount: 'required' }],
    [{ period: 'own', periodCount: 3, periodUnit: 'year' }, { periodCount: 'periodTooLong' }],
    [{ period: 'own', periodCount: 3, periodUnit: 'year', operation: 'valueDifference' }, {}],
    [{ valueType: 'text' }, { valueType: 'timeseriesNumber' }],
    [{ valueType: 'text', operation: 'latest' }, {}],
  ])('has faults: %j', (change, expected) => {
    expect(faults(of(change), 'digitalTwin')).toEqual(expected)
  })
})

test.each([
  [{ figure: 'devices' }, {}],
  [{ figure: 'lastSeen', valueType: 'text' }, {}],
  [{ figure: 'lastSeen' }, { valueType: 'figureText' }],
  [{ figure: 'devices', valueType: 'text' }, { valueType: 'figureNumber' }],
])('faults of a figure of the platform: %j', (change, expected) => {
  expect(sources.system.faults(form(change), 'digitalTwin')).toEqual(expected)
})

test('blanks around a variable are typing', () => {
  expect(sources.connector.settings(form({ variable: ' temperature ' }))).toEqual({ variable: 'temperature' })
  expect(sources.connector.settings(form({ variable: '  ' }))).toEqual({})
})
