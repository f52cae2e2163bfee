import { describe, expect, it } from 'vitest'
import type { TemplateState } from './queries.ts'
import { fromStateForm, statesOfDriver, toStateForm } from './states.ts'

const state = (key: string, more: Partial<TemplateState> = {}): TemplateState => ({
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
  visualization: { kind: 'value' },
  ...more,
})

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
