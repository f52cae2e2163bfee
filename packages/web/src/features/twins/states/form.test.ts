import { state as operations } from '@leitstand/contract/states'
import { describe, expect, it } from 'vitest'
import { emptyState, formFaults, keyOf, type StateForm, sourcesFor, toForm, toInput } from './form.ts'

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
