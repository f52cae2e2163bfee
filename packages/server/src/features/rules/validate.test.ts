import type { Condition, RuleAction, StateMetric } from '@leitstand/contract/rules'
import { describe, expect, it } from 'vitest'
import { conditionLimits } from './conditions/check.ts'
import { checkDraft } from './validate.ts'

const metric = (alias: string, fields: Partial<StateMetric> = {}): StateMetric => ({
  alias,
  stateId: 1,
  operation: 'latest',
  abortIfNull: true,
  ...fields,
})
const above: Condition = { op: 'gt', left: { metric: 'a' }, right: { value: 1 } }
const alarm: RuleAction = { kind: 'alarm', severity: 'error', message: 'a is {{a}}' }

/** Nested so deep that it has `depth` levels. */
function nested(depth: number): Condition {
  return depth <= 1 ? above : { op: 'not', condition: nested(depth - 1) }
}

describe('checkDraft', () => {
  it('finds nothing wrong with a good draft', () => {
    expect(
      checkDraft({
        metrics: [metric('a'), metric('b', { operation: 'avg', lastMinutes: 60 })],
        conditions: { op: 'and', conditions: [above, nested(5)] },
        actions: [
          alarm,
          { kind: 'set-state', stateId: 2, value: { metric: 'b' } },
          { kind: 'email', recipients: ['a@example.org'], subject: '{{twin.title}}', body: '{{a}} {{time}}' },
        ],
      }),
    ).toEqual([])
  })

  it.each<[string, Parameters<typeof checkDraft>[0], string]>([
    ['an alias twice', { metrics: [metric('a'), metric('a')], conditions: above }, 'metrics.1.alias'],
    ['a reserved alias', { metrics: [metric('a'), metric('time')], conditions: above }, 'metrics.1.alias'],
    [
      'an operation over nothing',
      { metrics: [metric('a', { operation: 'max' })], conditions: above },
      'metrics.0.operation',
    ],
    [
      'an unknown metric',
      { metrics: [metric('a')], conditions: { op: 'eq', left: { value: 1 }, right: { metric: 'x' } } },
      'conditions.right',
    ],
    [
      'an unknown placeholder',
      { metrics: [metric('a')], conditions: above, actions: [{ ...alarm, message: '{{x}}' }] },
      'actions.0.message',
    ],
    ['two alarms', { metrics: [metric('a')], conditions: above, actions: [alarm, alarm] }, 'actions.1'],
    [
      'a state that wakes the rule',
      {
        metrics: [metric('a', { stateId: 5 })],
        conditions: above,
        actions: [{ kind: 'set-state', stateId: 5, value: { value: 1 } }],
      },
      'actions.0.stateId',
    ],
    [
      'no value to set',
      {
        metrics: [metric('a')],
        conditions: above,
        actions: [{ kind: 'set-state', stateId: 2, value: { value: null } }],
      },
      'actions.0.value',
    ],
    [
      'too deep a tree',
      { metrics: [metric('a')], conditions: nested(conditionLimits.depthMax + 1) },
      'conditions',
    ],
    [
      'too large a tree',
      {
        metrics: [metric('a')],
        conditions: {
          op: 'or',
          conditions: Array.from({ length: 5 }, () => ({
            op: 'or' as const,
            conditions: Array(50).fill(above),
          })),
        },
      },
      'conditions',
    ],
  ])('refuses %s', (_name, draft, path) => {
    expect(checkDraft(draft).map((issue) => issue.path.join('.'))).toEqual([path])
  })
})
