import type { Rule } from '@leitstand/contract/rules'
import { describe, expect, it } from 'vitest'
import { toRuleInput } from '../draft.ts'
import { fromFile, type RuleFileError, type StateRef, statesOf, toFile } from './file.ts'
import { resolveIn } from './resolve.ts'

const home = 'https://home.example'
const rule: Rule = {
  id: 4,
  template: null,
  dtwinId: 1,
  twinTitle: 'Room 1',
  twinCategory: 'digitalTwin',
  accountId: 1,
  title: 'Too warm',
  active: false,
  pausedUntil: null,
  many: null,
  twins: null,
  triggers: [{ kind: 'values' }, { kind: 'rule', ruleId: 9, on: 'fired' }],
  metrics: [
    {
      alias: 'temp',
      stateId: 7,
      operation: 'avg',
      lastMinutes: 15,
      abortIfNull: true,
      stateTitle: 'Temperature',
      stateKey: 'temp',
      unit: '°C',
      twinTitle: 'Room 1',
    },
    { alias: 'hour', operation: 'clock', clock: 'hour', abortIfNull: true },
  ],
  conditions: { op: 'and', conditions: [{ op: 'gt', left: { metric: 'temp' }, right: { value: 26 } }] },
  executionTimes: null,
  throttleHours: 4,
  actions: [
    { kind: 'set-state', stateId: 8, value: { value: true } },
    { kind: 'start-rule', ruleId: 9 },
  ],
  lastEvaluatedAt: null,
  lastFiredAt: null,
  lastResult: null,
  fixed: false,
  version: 3,
}
const refs = new Map<number, StateRef>([
  [7, { key: 'temp' }],
  [8, { key: 'fan', twin: 'Hall' }],
])
const text = JSON.stringify(toFile(rule, home, (id) => refs.get(id) as StateRef))
const found = (ids: Record<string, number>) => async (ref: StateRef) =>
  ids[`${ref.twin ?? ''}/${ref.key}`] ?? null

async function keyOf(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return (error as RuleFileError).key
}

describe('a rule as a file', () => {
  it('names its states by key, and holds no ids of states', () => {
    expect(statesOf(rule).sort()).toEqual([7, 8])
    expect(text).not.toContain('stateId')
    expect(JSON.parse(text)).toMatchObject({
      rule: {
        metrics: [{ alias: 'temp', state: { key: 'temp' } }, { alias: 'hour' }],
        actions: [{ kind: 'set-state', state: { key: 'fan', twin: 'Hall' } }, { ruleId: 9 }],
      },
    })
  })

  it('is the same rule again where it comes from, with the states of the other twin', async () => {
    const { draft, missing, leftOut } = await fromFile(text, home, found({ '/temp': 70, 'Hall/fan': 8 }))
    expect(missing).toEqual([])
    expect(leftOut).toBe(0)
    const { title, active, triggers, conditions, throttleHours } = rule
    expect(toRuleInput(draft)).toEqual({
      title,
      active,
      pausedUntil: null,
      many: null,
      triggers,
      metrics: [
        { alias: 'temp', stateId: 70, operation: 'avg', lastMinutes: 15, abortIfNull: true },
        { alias: 'hour', operation: 'clock', clock: 'hour', abortIfNull: true },
      ],
      conditions,
      executionTimes: null,
      throttleHours,
      actions: rule.actions,
    })
  })

  it('leaves out what names things of another installation', async () => {
    const { draft, leftOut } = await fromFile(
      text,
      'https://other.example',
      found({ '/temp': 1, 'Hall/fan': 2 }),
    )
    expect(leftOut).toBe(2)
    expect(draft.triggers.map(({ kind }) => kind)).toEqual(['values'])
    expect(draft.actions.map(({ kind }) => kind)).toEqual(['set-state'])
  })

  it('runs on many twins where it comes from, and on its own elsewhere', async () => {
    const many = { query: { twinId: 5, types: ['room' as const] }, except: [6] }
    const wide = JSON.stringify(toFile({ ...rule, many }, home, () => ({ key: 'temp' })))
    const here = await fromFile(wide, home, found({ '/temp': 1 }))
    expect([here.draft.many, here.leftOut]).toEqual([many, 0])
    const there = await fromFile(wide, 'https://other.example', found({ '/temp': 1 }))
    expect([there.draft.many, there.leftOut]).toEqual([null, 3])
  })

  it('leaves states open that are not found', async () => {
    const { draft, missing } = await fromFile(text, home, found({}))
    expect(missing).toEqual([{ key: 'temp' }, { key: 'fan', twin: 'Hall' }])
    expect(draft.metrics[0]).toMatchObject({ alias: 'temp', stateId: null })
    expect(draft.actions[0]).toMatchObject({ kind: 'set-state', stateId: null })
  })

  it.each([
    ['{', 'noJson'],
    ['null', 'noRule'],
    ['{"format":"leitstand.rule","version":2,"origin":"","rule":{}}', 'noRule'],
    ['{"format":"leitstand.rule","version":1,"origin":"","rule":{}}', 'noRule'],
    [text.replace('"avg"', '"nothing"'), 'noRule'],
    [
      `{"format":"leitstand.rule","version":1,"origin":"","rule":{"a":${'['.repeat(9000)}${']'.repeat(9000)}}}`,
      'noRule',
    ],
  ])('that is none is refused: %.40s', async (wrong, key) => {
    expect(await keyOf(fromFile(wrong, home, found({ '/temp': 1 })))).toBe(key)
  })

  it('cannot reach the prototype of objects', async () => {
    const evil = text.replace('"title"', '"__proto__":{"polluted":true},"title"')
    await fromFile(evil, home, found({ '/temp': 1, 'Hall/fan': 2 }))
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('states that a file names', () => {
  const items = [
    { id: 1, key: 'temp', twinTitle: 'Room 1' },
    { id: 2, key: 'temp', twinTitle: 'Hall' },
    { id: 3, key: 'fan', twinTitle: 'Hall' },
    { id: 4, key: 'fan', twinTitle: 'Hall' },
    { id: 5, key: 'temp2', twinTitle: 'Room 1' },
  ]
  const asked: object[] = []
  const resolve = resolveIn(6, async (input) => {
    asked.push(input)
    return { items: 'dtwinId' in input ? items.filter(({ twinTitle }) => twinTitle === 'Room 1') : items }
  })

  it.each([
    [{ key: 'temp' }, 1],
    [{ key: 'temp', twin: 'Hall' }, 2],
    [{ key: 'tem' }, null],
    // Two twins have this title: which one is meant, is not known.
    [{ key: 'fan', twin: 'Hall' }, null],
  ])('%j is %j', async (ref, id) => {
    expect(await resolve(ref)).toBe(id)
  })

  it('are looked for on the object, or everywhere', () => {
    expect(asked).toContainEqual({ dtwinId: 6, search: 'temp' })
    expect(asked).toContainEqual({ search: 'Hall temp' })
  })
})
