import { state as operations, stateSources } from '@leitstand/contract/states'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyState, formFaults, keyOf, type StateForm, toForm, toInput } from './form.ts'
import { isAggregate, sourcesFor } from './sources/index.ts'

const form = (change: Partial<StateForm>): StateForm => ({
  ...emptyState,
  key: 'temperature',
  title: 'Temperatur',
  ...change,
})

/** Validates with the contract's schema whether the server would accept the form's input. */
function accepted(input: object): boolean {
  const schema = operations.create['~orpc'].inputSchema
  return schema?.safeParse({ dtwinId: 1, key: 'temperature', ...input }).success === true
}

describe('toInput', () => {
  it('sends only what belongs to the source', () => {
    const input = toInput(
      form({ source: 'random', min: 1, max: 2, everySeconds: 5, stateIds: [4], connectorId: '3' }),
    )
    expect(input.sourceSettings).toEqual({ min: 1, max: 2, everySeconds: 5 })
    expect(accepted(input)).toBe(true)
  })

  it.each([
    [
      { source: 'connector', connectorId: '3', identifier: ' A1 ', variable: 'temp' },
      { connectorId: 3, identifier: 'A1', variable: 'temp' },
    ],
    [{ source: 'connector', variable: 'temp' }, { variable: 'temp' }],
    [
      { source: 'aggregate', stateIds: [1, 2], method: 'max' },
      { stateIds: [1, 2], method: 'max' },
    ],
    [{ source: 'none', min: 3 }, {}],
  ] as const)('%#', (change, settings) => {
    const input = toInput(form(change as Partial<StateForm>))
    expect(input.sourceSettings).toEqual(settings)
    expect(accepted(input)).toBe(true)
  })

  it('leaves numbers behind that mean nothing for a text', () => {
    const input = toInput(
      form({ valueType: 'text', lowerBound: 1, decimals: 2, kind: 'gauge', lowerThreshold: 3 }),
    )
    expect(input).toMatchObject({ lowerBound: null, decimals: null, visualization: { kind: 'value' } })
    expect(accepted(input)).toBe(true)
  })

  it('comes back from a stored state unchanged', () => {
    const input = toInput(
      form({
        source: 'aggregate',
        stateIds: [7],
        method: 'median',
        lowerBound: 0,
        upperBound: 9,
        decimals: 2,
        kind: 'gauge',
        scaleMin: 0,
        scaleMax: 10,
        lowerThreshold: 5,
        upperThreshold: 8,
        transformer: 'return value',
      }),
    )
    const stored = {
      ...input,
      id: 1,
      twinId: 2,
      key: 'temperature',
      position: 0,
      value: null,
      time: null,
      fixed: false,
      version: 1,
    }
    expect(toInput(toForm(stored))).toEqual(input)
  })
})

describe('formFaults', () => {
  it.each([
    [{}, 'digitalTwin', {}],
    [{ title: ' ' }, 'digitalTwin', { title: 'required' }],
    [{ key: 'a b' }, 'digitalTwin', { key: 'key' }],
    [{ source: 'connector' }, 'virtualDevice', {}],
    [{ source: 'connector' }, 'digitalTwin', { connectorId: 'required', identifier: 'required' }],
    [{ source: 'aggregate' }, 'digitalTwin', { stateIds: 'stateIds' }],
    [{ source: 'random', min: 2, max: 2 }, 'digitalTwin', { max: 'maxAboveMin' }],
    [{ lowerBound: 5, upperBound: 5 }, 'digitalTwin', { upperBound: 'maxAboveMin' }],
    [
      { scaleMin: 0, scaleMax: 10, lowerThreshold: 0, upperThreshold: 10 },
      'digitalTwin',
      { lowerThreshold: 'thresholdInside', upperThreshold: 'thresholdInside' },
    ],
    [{ lowerThreshold: 8, upperThreshold: 8 }, 'digitalTwin', { upperThreshold: 'thresholdOrder' }],
    [{ valueType: 'text', lowerThreshold: 8, upperThreshold: 8 }, 'digitalTwin', {}],
  ] as const)('%#', (change, category, faults) => {
    expect(formFaults(form(change as Partial<StateForm>), category)).toEqual(faults)
  })
})

it('makes keys of titles', () => {
  expect(keyOf(' Temperatur außen (°C) ')).toBe('temperatur_aussen_c')
  expect(keyOf('Zähler.Stand')).toBe('zaehler.stand')
  expect(keyOf('Café №1')).toBe('cafe_1')
})

it('keeps an unusual source choosable', () => {
  expect(sourcesFor('virtualDevice')).not.toContain('datarouting')
  expect(sourcesFor('virtualDevice', 'datarouting')).toContain('datarouting')
})

describe('keys of titles', () => {
  it.each([
    ['Temperatur', 'temperatur'],
    ['TEMPERATUR AUSSEN', 'temperatur_aussen'],
    ['Füllstand (%)', 'fuellstand'],
    ['Größe', 'groesse'],
    ['GRÖẞE', 'groesse'],
    // The same letters as some systems write them: base letter and accent apart.
    ['Fu\u0308llstand', 'fuellstand'],
    ['à la carte', 'a_la_carte'],
    ['Øre', 're'],
    ['1. Stock', '1._stock'],
    ['a--b__c', 'a_b__c'],
    ['meter.volume', 'meter.volume'],
    ['温度', ''],
    ['', ''],
    ['  ', ''],
    ['_', ''],
    ['🌡 CO₂', 'co'],
  ])('%s becomes %s', (title, key) => {
    expect(keyOf(title)).toBe(key)
  })

  it('are keys the form accepts, or empty', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), (title) => {
        const key = keyOf(title)
        expect(key === '' || formFaults(form({ key }), 'digitalTwin').key === undefined).toBe(true)
      }),
    )
  })

  it('stay as they are when they are derived again', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 90 }), (title) => {
        const key = keyOf(title)
        expect(keyOf(key)).toBe(key)
      }),
    )
  })
})

describe('sources', () => {
  it.each([
    ['digitalTwin', undefined, 8],
    ['virtualDevice', undefined, 5],
    ['virtualDevice', 'connector', 5],
    ['virtualDevice', 'system', 6],
    ['digitalTwin', 'platform', 9],
  ] as const)('of a %s whose source is %s', (category, current, count) => {
    const sources = sourcesFor(category, current)
    expect(sources).toHaveLength(count)
    expect(new Set(sources).size).toBe(count)
    if (current) expect(sources).toContain(current)
  })
})

const number = fc.constantFrom<StateForm['min']>('', -5, 0, 0.5, 7, 10)
const anyForm: fc.Arbitrary<StateForm> = fc.record({
  key: fc.constantFrom('', 'a', 'a b', 'meter.volume', 'x'.repeat(101)),
  title: fc.constantFrom('', ' ', 'T', ' Temperatur '),
  unit: fc.constantFrom('', ' °C '),
  unitChange: fc.constant('label' as const),
  positionAxis: fc.constantFrom('latitude' as const, null),
  icon: fc.constantFrom(null, 'temperature'),
  source: fc.constantFrom(
    ...([
      'none',
      'connector',
      'random',
      'datarouting',
      ...stateSources.filter(isAggregate),
    ] satisfies StateForm['source'][]),
  ),
  valueType: fc.constantFrom('number', 'text', 'boolean', 'json'),
  decimals: fc.constantFrom<StateForm['decimals']>('', 0, 10),
  transformer: fc.constantFrom('', ' \n', 'return value'),
  lowerBound: number,
  upperBound: number,
  connectorId: fc.constantFrom(null, '3'),
  identifier: fc.constantFrom('', ' ', 'A1'),
  variable: fc.constantFrom('', ' ', 'temp'),
  by: fc.constantFrom('list', 'query'),
  stateIds: fc.constantFrom([], [1], [1, 2]),
  queryKey: fc.constantFrom('', 'a b', 'level'),
  queryTwinId: fc.constantFrom(null, '4'),
  queryCategory: fc.constantFrom('any', 'digitalTwin', 'virtualDevice'),
  queryTypes: fc.constantFrom([], ['room']),
  queryTags: fc.constantFrom([], ['warm']),
  queryZones: fc.constantFrom([], ['north']),
  queryDriverIds: fc.constantFrom([], ['3']),
  queryTemplateIds: fc.constantFrom([], ['5']),
  staleCounts: fc.constantFrom('used', 'dropped', 'unknown'),
  staleMinutes: fc.constantFrom<StateForm['staleMinutes']>('', 1, 60),
  method: fc.constantFrom('avg', 'max', 'latest'),
  operation: fc.constantFrom('avg', 'latest', 'periodDifference', 'valueDifference'),
  period: fc.constantFrom('15m', '1Y', 'own'),
  periodCount: fc.constantFrom<StateForm['periodCount']>('', 0, 1, 1_000),
  periodUnit: fc.constantFrom('minute', 'day', 'year'),
  aligned: fc.boolean(),
  figure: fc.constantFrom('devices', 'lastSeen', 'freeDisk'),
  min: number,
  max: number,
  everySeconds: fc.constantFrom<StateForm['everySeconds']>('', 1, 60),
  kind: fc.constantFrom('value', 'gauge', 'switch', 'text'),
  scaleMin: number,
  scaleMax: number,
  lowerThreshold: number,
  upperThreshold: number,
})

describe('any form', () => {
  const category = fc.constantFrom('digitalTwin' as const, 'virtualDevice' as const)

  it('without faults is accepted by the contract', () => {
    fc.assert(
      fc.property(anyForm, category, (given, kind) => {
        fc.pre(Object.keys(formFaults(given, kind)).length === 0)
        expect(accepted({ ...toInput(given), key: given.key })).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('comes back from what was stored', () => {
    fc.assert(
      fc.property(anyForm, (given) => {
        // Without an interval of its own a random state has the usual one, and a period needs a length.
        fc.pre(given.everySeconds !== '' && given.periodCount !== '' && given.periodCount > 0)
        const input = toInput(given)
        expect(toInput(toForm({ ...input, key: given.key }))).toEqual(input)
      }),
    )
  })

  it('has its faults at fields it has', () => {
    fc.assert(
      fc.property(anyForm, category, (given, kind) => {
        for (const field of Object.keys(formFaults(given, kind))) expect(field in given).toBe(true)
      }),
    )
  })

  it('never stores limits of another type of value', () => {
    fc.assert(
      fc.property(anyForm, (given) => {
        const input = toInput(given)
        if (input.valueType === 'number') return
        expect([input.lowerBound, input.upperBound, input.decimals]).toEqual([null, null, null])
        expect(Object.keys(input.visualization)).toEqual(['kind'])
      }),
    )
  })
})

describe('more faults', () => {
  it.each([
    [{ key: '' }, { key: 'required' }],
    [{ key: 'größe' }, { key: 'key' }],
    [{ key: 'x'.repeat(101) }, { key: 'key' }],
    [{ key: 'x'.repeat(100) }, {}],
    [{ source: 'random' }, { min: 'required', max: 'required' }],
    [{ source: 'random', min: 0 }, { max: 'required' }],
    [{ source: 'random', min: -1, max: 0 }, {}],
    [{ source: 'random', min: 0, max: 1, valueType: 'text' }, { valueType: 'randomNumber' }],
    [{ source: 'timeseries-aggregate' }, { stateIds: 'stateIds' }],
    [{ source: 'connector', connectorId: '3', identifier: ' ' }, { identifier: 'required' }],
    [{ lowerBound: 0 }, {}],
    [{ lowerBound: -5, upperBound: -6 }, { upperBound: 'maxAboveMin' }],
    [{ scaleMin: 5, scaleMax: 0 }, { scaleMax: 'maxAboveMin' }],
    [{ scaleMin: 0, lowerThreshold: -1 }, { lowerThreshold: 'thresholdInside' }],
    [{ scaleMax: 10, upperThreshold: 10 }, { upperThreshold: 'thresholdInside' }],
    [{ lowerThreshold: 0, upperThreshold: 1 }, {}],
    [{ lowerThreshold: 2, upperThreshold: 1 }, { upperThreshold: 'thresholdOrder' }],
    [{ valueType: 'boolean', lowerBound: 9, upperBound: 1 }, {}],
  ] as const)('%j', (change, faults) => {
    expect(formFaults(form(change as Partial<StateForm>), 'digitalTwin')).toEqual(faults)
  })
})
