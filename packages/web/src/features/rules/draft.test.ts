import type { Condition } from '@leitstand/contract/rules'
import { ddr, type Rule } from '@leitstand/contract/rules'
import { Alias } from '@leitstand/contract/rules/operand'
import fc from 'fast-check'
import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import { conditionLimits } from './conditions/tree.ts'
import {
  draftFaults,
  freeAlias,
  newAction,
  newMetric,
  newRule,
  placeOf,
  type RuleDraft,
  renameMetric,
  toDraft,
  toRuleInput,
} from './draft.ts'
import { metricKinds, metricOperations } from './metrics/index.ts'

const defaults: Record<string, string> = {
  'rules.defaults.subject': '{{rule.title}}',
  'rules.defaults.body': '{{a}}',
  'rules.defaults.alarm': 'Zu warm: {{a}}',
}
const texts = (key: string) => defaults[key] ?? key
const t = ((key: string, { value }: { value: string }) =>
  key === 'rules.defaults.alarm' ? `Zu warm: ${value}` : key) as unknown as TFunction

const draft = (change: Partial<RuleDraft> = {}): RuleDraft => ({
  ...newRule(t, []),
  title: 'Zu warm',
  metrics: [newMetric('a', 7)],
  actions: [newAction('alarm', texts)],
  ...change,
})

const at = (given: RuleDraft) =>
  draftFaults(given).map((fault) => `${fault.at.replace(/\.\d+/, '')} ${fault.key}`)

describe('draftFaults', () => {
  it('finds nothing in a complete draft, and the contract agrees', () => {
    expect(draftFaults(draft())).toEqual([])
    const schema = ddr.create['~orpc'].inputSchema
    expect(schema?.safeParse({ dtwinId: 1, ...toRuleInput(draft()) }).success).toBe(true)
  })

  it.each([
    [{ title: ' ' }, ['title required']],
    [{ metrics: [] }, ['metrics noMetric', 'conditions unknownMetric', 'action.message unknownPlaceholder']],
    [{ metrics: [newMetric('a', 7), newMetric('a', 8)] }, ['metric.alias duplicateAlias']],
    [{ metrics: [newMetric('a', 7), newMetric('time', 8)] }, ['metric.alias reserved']],
    [{ metrics: [newMetric('a', 7), newMetric('1x', 8)] }, ['metric.alias alias']],
    [{ metrics: [newMetric('a')] }, ['metric.stateId required']],
    [{ metrics: [{ ...newMetric('a', 7), operation: 'avg' as const }] }, ['metric.window windowNeeded']],
    [{ actions: [] }, ['actions noAction']],
    [{ actions: [newAction('email', texts)] }, ['action.recipients noRecipient']],
    [{ actions: [newAction('alarm', texts), newAction('alarm', texts)] }, ['action oneAlarm']],
    [{ actions: [newAction('set-state', texts)] }, ['action.stateId required']],
    [
      { actions: [{ id: 99, kind: 'set-state' as const, stateId: 7, value: { metric: 'b' } }] },
      ['action.stateId ownInput', 'action.value unknownMetric'],
    ],
  ])('%#', (change, expected) => {
    expect(at(draft(change))).toEqual(expected)
  })
})

it.each<[object, string, string[]]>([
  [{ own: { clock: 'hour' } }, 'clock', []],
  [{ own: { property: ' room ' } }, 'property', []],
  [{ own: { property: ' ' } }, 'property', ['metric.property required']],
  [{ own: { position: 'latitude' } }, 'position', []],
  [{ own: { position: 'distance', latitude: 0, longitude: 1 } }, 'position', []],
  [{ own: { position: 'distance', latitude: 0 } }, 'position', ['metric.longitude required']],
  [{ own: { position: 'distance' } }, 'position', ['metric.latitude required']],
])('a metric with %j of the kind %s needs no state and has the faults %j', (fields, operation, faults) => {
  const fresh = newMetric('a')
  const { own } = fields as { own: Partial<typeof fresh.own> }
  const metric = { ...fresh, operation, own: { ...fresh.own, ...own } } as typeof fresh
  const given = draft({ metrics: [metric] })
  expect(at(given)).toEqual(faults)
  if (faults.length > 0) return
  const input = toRuleInput(given)
  expect(ddr.create['~orpc'].inputSchema?.safeParse({ dtwinId: 1, ...input }).success).toBe(true)
  expect(input.metrics[0]).not.toHaveProperty('stateId')
  const again = toDraft({ ...input, metrics: input.metrics })
  expect(toRuleInput(again).metrics).toEqual(input.metrics)
})

it('a script needs text, and keeps its variables when a metric is renamed', () => {
  const scripted = (script: string) => draft({ conditions: { op: 'script', script } })
  expect(at(scripted(' '))).toEqual(['conditions noScript'])
  const given = scripted('return a > 1')
  expect(at(given)).toEqual([])
  expect(renameMetric(given, given.metrics, 'a', 'b').conditions).toEqual(given.conditions)
  expect(toDraft(toRuleInput(given) as never).conditions).toEqual(given.conditions)
})

it('times of execution are part of the draft', () => {
  const empty = { windows: [], dates: [], holidays: null }
  expect(at(draft({ executionTimes: empty }))).toEqual(['executionTimes noTimes'])
  const input = toRuleInput(
    draft({ executionTimes: { ...empty, dates: [{ from: '2026-01-01', to: '2026-01-02' }] } }),
  )
  expect(toDraft(input as never).executionTimes).toEqual(input.executionTimes)
})

it('comes back from the server unchanged', () => {
  const input = toRuleInput(
    draft({
      metrics: [
        {
          ...newMetric('a', 7),
          operation: 'avg',
          window: 'minutes',
          amount: 30,
          transformer: 'return value * 2',
        },
      ],
    }),
  )
  const stored: Rule = {
    ...input,
    id: 1,
    dtwinId: 2,
    template: null,
    twinTitle: 'R',
    twinCategory: 'digitalTwin',
    twins: null,
    accountId: 1,
    fixed: false,
    version: 1,
    lastEvaluatedAt: null,
    lastFiredAt: null,
    lastResult: null,
    metrics: input.metrics.map((metric) => ({
      ...metric,
      stateTitle: 'T',
      stateKey: 't',
      unit: '',
      twinTitle: 'R',
    })),
  }
  expect(toRuleInput(toDraft(stored))).toEqual(input)
  const single = { ...stored, conditions: { op: 'gt', left: { metric: 'a' }, right: { value: 1 } } } as Rule
  expect(toDraft(single).conditions).toEqual({ op: 'and', conditions: [single.conditions] })
})

it('keeps metrics that name states by key, and the twins of a rule for many', () => {
  const metric = {
    alias: 'mean',
    operation: 'related',
    of: 'children',
    stateKey: 'co2',
    over: 'avg',
    across: 'max',
    lastMinutes: 15,
    abortIfNull: false,
  } as const
  const many = { query: { types: ['room' as const] }, except: [3] }
  const source = { ...toRuleInput(draft()), many, metrics: [metric] }
  const again = toDraft(source)
  expect(toRuleInput(again)).toMatchObject({ many, metrics: [metric] })
  const [edited] = again.metrics
  if (edited === undefined) throw new Error('the metric is missing')
  const own = { ...edited.own, stateKey: 'a b' }
  expect(draftFaults({ ...again, metrics: [{ ...edited, own }] })).toContainEqual({
    at: `metric.${edited.id}.stateKey`,
    key: 'stateKey',
  })
  const without = { ...edited.own, window: 'none' as const }
  expect(draftFaults({ ...again, metrics: [{ ...edited, own: without }] })).toContainEqual({
    at: `metric.${edited.id}.window`,
    key: 'windowNeeded',
  })
})

it('makes free aliases of keys', () => {
  expect(freeAlias('meter.volume', [])).toBe('meter_volume')
  expect(freeAlias('2nd', [])).toBe('nd')
  expect(freeAlias('temp', ['temp', 'temp_2'])).toBe('temp_3')
  expect(freeAlias('time', [])).toBe('time_2')
  expect(freeAlias('.', [])).toBe('m')
})

describe('aliases', () => {
  it.each([
    ['temperature', [], 'temperature'],
    ['Temperatur.außen', [], 'Temperatur_au_en'],
    ['_hidden', [], 'hidden'],
    ['123', [], 'm'],
    ['', ['m', 'm_2'], 'm_3'],
    ['time', ['time_2'], 'time_3'],
    ['x'.repeat(60), [], 'x'.repeat(40)],
  ])('%s beside %j becomes %s', (key, taken, alias) => {
    expect(freeAlias(key, taken)).toBe(alias)
  })

  it('are free and what the contract accepts', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.nat({ max: 12 }), (key, count) => {
        const taken: string[] = []
        for (let each = 0; each <= count; each++) taken.push(freeAlias(key, taken))
        expect(new Set(taken).size).toBe(taken.length)
        for (const alias of taken) expect(Alias.safeParse(alias).success).toBe(true)
      }),
    )
  })
})

describe('metrics', () => {
  const ofStates = metricOperations.filter((operation) => metricKinds[operation].own === undefined)

  it.each(ofStates)('%s needs a window unless it is the latest value', (operation) => {
    const metric = { ...newMetric('a', 7), operation }
    expect(at(draft({ metrics: [metric] }))).toEqual(
      operation === 'latest' ? [] : ['metric.window windowNeeded'],
    )
    for (const window of ['values', 'minutes'] as const)
      expect(at(draft({ metrics: [{ ...metric, window }] }))).toEqual([])
  })

  it.each([
    ['none', {}],
    ['values', { lastValues: 30 }],
    ['minutes', { lastMinutes: 30 }],
  ] as const)('a window of %s is sent as %j', (window, sent) => {
    const [metric] = toRuleInput(draft({ metrics: [{ ...newMetric('a', 7), window, amount: 30 }] })).metrics
    expect(metric).toEqual({ alias: 'a', stateId: 7, operation: 'latest', abortIfNull: true, ...sent })
  })

  it('blank code is not sent, and a metric without a state neither', () => {
    const metrics = [{ ...newMetric('a', 7), transformer: ' \n' }, newMetric('b')]
    expect(toRuleInput(draft({ metrics })).metrics).toEqual([
      { alias: 'a', stateId: 7, operation: 'latest', abortIfNull: true },
    ])
  })

  it.each(['größe', 'a b', '_a', 'a-b', '', 'x'.repeat(51)])('%j is no alias', (alias) => {
    expect(at(draft({ metrics: [newMetric('a', 7), newMetric(alias, 8)] }))).toEqual(['metric.alias alias'])
  })
})

describe('conditions', () => {
  const nested = (depth: number): Condition =>
    depth === 1
      ? { op: 'gt', left: { metric: 'a' }, right: { value: 0 } }
      : { op: 'not', condition: nested(depth - 1) }
  const wide = (nodes: number): Condition => ({
    op: 'and',
    conditions: Array.from({ length: nodes - 1 }, () => nested(1)),
  })

  it('may be as deep and as large as the server takes, and no more', () => {
    const { depthMax, nodesMax } = conditionLimits
    expect(at(draft({ conditions: nested(depthMax) }))).toEqual([])
    expect(at(draft({ conditions: nested(depthMax + 1) }))).toEqual(['conditions tooLarge'])
    expect(at(draft({ conditions: wide(nodesMax) }))).toEqual([])
    expect(at(draft({ conditions: wide(nodesMax + 1) }))).toEqual(['conditions tooLarge'])
  })

  it('name each unknown metric once', () => {
    const compare = (alias: string): Condition => ({
      op: 'eq',
      left: { metric: alias },
      right: { metric: alias },
    })
    const conditions: Condition = { op: 'or', conditions: [compare('x'), compare('y'), compare('x')] }
    expect(draftFaults(draft({ conditions }))).toEqual([
      { at: 'conditions', key: 'unknownMetric', name: 'x' },
      { at: 'conditions', key: 'unknownMetric', name: 'y' },
    ])
  })

  it.each([
    [{ op: 'not', condition: nested(1) }],
    [{ op: 'when', condition: nested(1), implies: nested(1) }],
  ] as [Condition][])('%j becomes a group, so that more can be added', (conditions) => {
    const source = { ...toRuleInput(draft()), conditions }
    expect(toDraft(source).conditions).toEqual({ op: 'and', conditions: [conditions] })
    const group: Condition = { op: 'or', conditions: [conditions] }
    expect(toDraft({ ...source, conditions: group }).conditions).toBe(group)
  })
})

it('every row of a draft has a key of its own', () => {
  const many = toDraft({
    ...toRuleInput(draft({ metrics: [newMetric('a', 7), newMetric('b', 8)] })),
    actions: [
      { kind: 'alarm', severity: 'warning', message: 'x' },
      { kind: 'set-state', stateId: 1, value: { value: 1 } },
    ],
  })
  const ids = [...many.metrics, ...many.actions].map(({ id }) => id)
  expect(new Set(ids).size).toBe(4)
})

it('shows errors of the server at the same places as those found while typing', () => {
  const draft = newRule(t, [])
  draft.actions = [newAction('email', texts)]
  const [metric, action] = [draft.metrics[0]?.id, draft.actions[0]?.id]
  const places = [
    'title',
    'metrics.0.alias',
    'actions.0.recipients.3',
    'actions.0',
    'actions',
    'conditions.0.left',
  ]
  expect(places.map((path) => placeOf(path, draft))).toEqual([
    'title',
    `metric.${metric}.alias`,
    `action.${action}.recipients`,
    `action.${action}`,
    'actions',
    'conditions',
  ])
  expect(placeOf('metrics.7.alias', draft)).toBe('metrics')
})

it('begins with an alarm over the only state there is', () => {
  const rule = newRule(t, [{ id: 7, key: 'temp', valueType: 'number' }])
  expect(draftFaults({ ...rule, title: 'Zu warm' })).toEqual([])
  expect(rule.metrics).toMatchObject([{ alias: 'temp', stateId: 7 }])
  expect(rule.actions).toMatchObject([{ kind: 'alarm', message: 'Zu warm: {{temp}}' }])
  for (const states of [[], [7, 8]])
    expect(
      newRule(
        t,
        states.map((id) => ({ id, key: 'temp', valueType: 'number' })),
      ).metrics,
    ).toMatchObject([{ alias: 'a', stateId: null }])
})

it('renames a metric wherever the draft names it', () => {
  const rule = draft({
    actions: [
      {
        ...newAction('email', texts),
        kind: 'email',
        recipients: ['a'],
        subject: '{{ a }}',
        body: '{{aa}} {{a}}',
        charts: { metrics: ['aa', 'a'], hours: 24 },
      },
      { ...newAction('set-state', texts), value: { metric: 'a' } },
    ] as RuleDraft['actions'],
  })
  const renamed = renameMetric(rule, [newMetric('temp', 7)], 'a', 'temp')
  expect(renamed.conditions).toMatchObject({ conditions: [{ left: { metric: 'temp' } }] })
  expect(renamed.actions).toMatchObject([
    {
      kind: 'email',
      recipients: ['a'],
      subject: '{{temp}}',
      body: '{{aa}} {{temp}}',
      charts: { metrics: ['aa', 'temp'] },
    },
    { kind: 'set-state', value: { metric: 'temp' } },
  ])
})

it.each([
  ['number', { op: 'gt', right: { value: 0 } }],
  ['boolean', { op: 'eq', right: { value: true } }],
  ['text', { op: 'eq', right: { value: '' } }],
])('compares a %s as one would', (valueType, comparison) => {
  const { conditions } = newRule(t, [{ id: 7, key: 'open', valueType }])
  expect(conditions).toMatchObject({ conditions: [{ left: { metric: 'open' }, ...comparison }] })
})
