import type { SourceDefinition, State } from '@leitstand/contract/states'
import { describe, expect, test } from 'vitest'
import type { RuleFields } from '../rules/index.ts'
import { isInSync, planSync, type Target, type Template, wantedState } from './plan.ts'

const state = (key: string, more: Partial<State> = {}): State =>
  ({
    id: 1,
    twinId: 1,
    key,
    title: key,
    unit: '',
    icon: null,
    valueType: 'number',
    transformer: null,
    lowerBound: null,
    upperBound: null,
    decimals: null,
    positionAxis: null,
    visualization: { kind: 'value' },
    position: 1,
    value: null,
    time: null,
    fixed: false,
    version: 1,
    source: 'none',
    sourceSettings: {},
    ...more,
  }) as State
const random = { source: 'random', sourceSettings: { min: 0, max: 1 } } as SourceDefinition
const rule = (title: string, more: Partial<RuleFields> = {}): RuleFields => ({
  title,
  active: true,
  pausedUntil: null,
  many: null,
  triggers: [{ kind: 'values' }],
  throttleHours: 0,
  metrics: [{ alias: 'a', stateId: 1, operation: 'latest', abortIfNull: true }],
  conditions: { op: 'gt', left: { metric: 'a' }, right: { value: 1 } },
  executionTimes: null,
  actions: [{ kind: 'alarm', severity: 'warning', message: 'x' }],
  ...more,
})
const twin = { id: 1, type: 'floor', floorNumber: 2, floorName: 'Second', icon: 'stairs' } as const
const template = (more: Partial<Template> = {}): Template => ({
  twin,
  states: [],
  rules: [],
  hiddenTitles: [],
  ...more,
})
const target = (more: Partial<Target> = {}): Target => ({
  twin: { ...twin, id: 2 },
  states: [],
  rules: [],
  ...more,
})
const all = { states: true, rules: true, typeFields: true, icon: true, removeOthers: true }
const asIs = { source: ({ source }: Template['states'][number]) => source, rule: (each: RuleFields) => each }

describe('a state', () => {
  test('takes over the source of the template, or else keeps its own', () => {
    const held = state('a', random as Partial<State>)
    expect(wantedState(state('a', { unit: '°C' }), null, held)).toMatchObject({ ...random, unit: '°C' })
    expect(wantedState(state('a'), { source: 'system', sourceSettings: {} }, held)).toMatchObject({
      source: 'system',
    })
    expect(wantedState(state('a'), null, undefined)).toMatchObject({ source: 'none', sourceSettings: {} })
  })

  test('is added, changed or removed by its key', () => {
    const wanted = template({
      states: [
        { state: state('same'), source: null },
        { state: state('other', { unit: '°C' }), source: null },
        { state: state('source'), source: random },
        { state: state('new'), source: null },
      ],
    })
    const held = target({ states: ['same', 'other', 'source', 'old'].map((key) => state(key)) })
    expect(planSync(wanted, held, all, asIs).states).toEqual({
      added: ['new'],
      changed: ['other', 'source'],
      removed: ['old'],
    })
    expect(planSync(wanted, held, { ...all, removeOthers: false }, asIs).states.removed).toEqual([])
    expect(isInSync(planSync(wanted, held, { ...all, states: false }, asIs))).toBe(true)
  })
})

test('rules are compared by title, as they would refer to states of the target', () => {
  const wanted = template({ rules: [rule('Same'), rule('Other'), rule('New')], hiddenTitles: ['Hidden'] })
  const held = target({
    rules: [rule('Same'), rule('Other', { active: false }), rule('Old'), rule('Hidden')],
  })
  expect(planSync(wanted, held, all, asIs).rules).toEqual({
    added: ['New'],
    changed: ['Other'],
    removed: ['Old'],
  })
  const elsewhere = { ...asIs, rule: (each: RuleFields) => ({ ...each, active: false }) }
  expect(planSync(wanted, held, { ...all, removeOthers: false }, elsewhere).rules).toEqual({
    added: ['New'],
    changed: ['Same'],
    removed: [],
  })
  expect(isInSync(planSync(wanted, held, { ...all, rules: false }, asIs))).toBe(true)
})

test('fields are those that were chosen and differ', () => {
  const held = target({ twin: { id: 2, type: 'room', floorNumber: 2, floorName: '', icon: null } })
  expect(planSync(template(), held, all, asIs).fields).toEqual(['type', 'floorName', 'icon'])
  expect(planSync(template(), held, { ...all, icon: false }, asIs).fields).toEqual(['type', 'floorName'])
  const none = planSync(template(), held, { ...all, icon: false, typeFields: false }, asIs)
  expect(none.fields).toEqual([])
  expect(isInSync(none)).toBe(true)
  expect(isInSync(planSync(template(), held, all, asIs))).toBe(false)
})
