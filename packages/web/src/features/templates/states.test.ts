import { TemplateState as StateSchema } from '@leitstand/contract/templates'
import { describe, expect, it } from 'vitest'
import type { TemplateState } from './queries.ts'
import { fromStateForm, stateKey, stateNumber, statesOfDriver, toStateForm } from './states.ts'

const state = (key: string, more: Partial<TemplateState> = {}) =>
  ({
    key,
    title: key,
    unit: '',
    icon: null,
    source: 'connector',
    sourceSettings: {},
    valueType: 'number',
    transformer: null,
    lowerBound: null,
    upperBound: null,
    decimals: null,
    positionAxis: null,
    visualization: { kind: 'value' },
    ...more,
  }) as TemplateState

const flow = state('flow', { sourceSettings: { variable: 'q' }, unit: 'm³/h', decimals: 2 })
const total = state('total', {
  source: 'aggregate',
  sourceSettings: { stateKeys: ['flow', 'return'], method: 'sum' },
})
const states = [flow, state('return'), total]

describe('states of a template', () => {
  it.each([flow, total])('come out of the sheet as they went in: $key', (each) => {
    expect(fromStateForm(toStateForm(each, states), states)).toEqual(each)
  })

  it('leave out a source that is no longer there', () => {
    const form = toStateForm(total, [flow, total])
    expect(fromStateForm(form, [flow, total]).sourceSettings).toEqual({ stateKeys: ['flow'], method: 'sum' })
  })

  it('are made for variables of the driver that have none', () => {
    const variables = [
      { key: 'flow', title: 'Flow', unit: 'm³/h' },
      { key: 'valve', title: '', unit: '', valueType: 'text' as const },
    ]
    expect(statesOfDriver(variables, states)).toMatchObject([
      { key: 'valve', title: 'valve', source: 'connector', valueType: 'text' },
    ])
  })
})

describe('numbers of states', () => {
  it('are their places, from 1, and 0 for none', () => {
    expect(states.map(({ key }) => stateNumber(key, states))).toEqual([1, 2, 3])
    expect(stateNumber('gone', states)).toBe(0)
    expect([0, 1, 3, 4, -1].map((number) => stateKey(number, states))).toEqual(['', 'flow', 'total', '', ''])
  })
})

describe('a state in its sheet', () => {
  it.each([
    state('random', { source: 'random', sourceSettings: { min: 0, max: 10, everySeconds: 5 } }),
    state('manual', { source: 'none' }),
    state('text', { valueType: 'text', visualization: { kind: 'text' } }),
    state('limits', {
      lowerBound: -40,
      upperBound: 80,
      visualization: { kind: 'gauge', min: 0, max: 50, lowerThreshold: 25, upperThreshold: 30 },
    }),
    state('code', { transformer: 'return value / 10', icon: 'gauge' }),
    state('own', { source: 'aggregate', sourceSettings: { stateKeys: ['total', 'flow'], method: 'max' } }),
  ])('$key comes back unchanged and is one of the contract', (each) => {
    const back = fromStateForm(toStateForm(each, states), states)
    expect(back).toEqual(each)
    expect(StateSchema.safeParse(back).success).toBe(true)
  })

  it('knows no connectors: those of a template state are its devices', () => {
    const form = { ...toStateForm(flow, states), connectorId: '7', identifier: 'A1' }
    expect(fromStateForm(form, states).sourceSettings).toEqual({ variable: 'q' })
  })

  it('of a source that templates do not have becomes one set by hand', () => {
    const form = { ...toStateForm(flow, states), source: 'datarouting' as const }
    expect(fromStateForm(form, states)).toMatchObject({ source: 'none', sourceSettings: {} })
  })
})

describe('states of a driver', () => {
  it('are none where all are there', () => {
    expect(statesOfDriver([{ key: 'flow', title: '', unit: '' }], states)).toEqual([])
    expect(statesOfDriver([], states)).toEqual([])
  })

  it('keep the order of the variables and are states of the contract', () => {
    const variables = ['b', 'a', 'meter.volume'].map((key) => ({ key, title: key.toUpperCase(), unit: '' }))
    const made = statesOfDriver(variables, states)
    expect(made.map(({ key }) => key)).toEqual(['b', 'a', 'meter.volume'])
    for (const each of made) expect(StateSchema.safeParse(each).success).toBe(true)
  })
})
