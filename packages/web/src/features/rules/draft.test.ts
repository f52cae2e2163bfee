import { ddr, type Rule } from '@leitstand/contract/rules'
import { describe, expect, it } from 'vitest'
import {
  draftFaults,
  freeAlias,
  newAction,
  newMetric,
  newRule,
  type RuleDraft,
  toDraft,
  toRuleInput,
} from './draft.ts'

const defaults: Record<string, string> = {
  'rules.defaults.subject': '{{rule.title}}',
  'rules.defaults.body': '{{a}}',
  'rules.defaults.alarm': 'Zu warm: {{a}}',
}
const texts = (key: string) => defaults[key] ?? key

const draft = (change: Partial<RuleDraft> = {}): RuleDraft => ({
  ...newRule(),
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
    twinTitle: 'R',
    twinCategory: 'digitalTwin',
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

it('makes free aliases of keys', () => {
  expect(freeAlias('meter.volume', [])).toBe('meter_volume')
  expect(freeAlias('2nd', [])).toBe('nd')
  expect(freeAlias('temp', ['temp', 'temp_2'])).toBe('temp_3')
  expect(freeAlias('time', [])).toBe('time_2')
  expect(freeAlias('.', [])).toBe('m')
})
