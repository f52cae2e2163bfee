import { describe, expect, it } from 'vitest'
import { alarmRounds, turnsOf } from './actions/alarm/turns.ts'
import { collectRuns, type RuleRun } from './collect.ts'
import { newState, step } from './step.ts'
import type { RunRule } from './store/pipeline.ts'

function rule(id: number): RunRule {
  return {
    id,
    version: 1,
    twinId: 7,
    accountId: 1,
    title: 'Too warm',
    twinTitle: 'Town hall',
    timeZone: 'UTC',
    throttleHours: 0,
    pausedUntil: null,
    triggers: [{ kind: 'values' }],
    metrics: [],
    conditions: { op: 'gt', left: { metric: 't' }, right: { value: 30 } },
    actions: [
      { kind: 'alarm', severity: 'error', message: '{{t}}' },
      { kind: 'set-state', stateId: 3, value: { metric: 'missing' } },
    ],
  }
}

function runs(values: [ruleId: number, value: number | null][]): RuleRun[] {
  return values.map(([ruleId, value], index) => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index))
    const input =
      value === null
        ? ({ kind: 'aborted', inputs: { t: null }, alias: 't' } as const)
        : ({ kind: 'values', inputs: { t: value } } as const)
    return {
      rule: rule(ruleId),
      wake: { ruleId, eventId: index + 1, at, until: at, values: new Map(), cause: null, depth: 0 },
      input,
      outcome: step({ ...rule(ruleId), decimals: new Map() }, newState, input, { at }),
      durationUs: 5,
    }
  })
}

describe('collectRuns', () => {
  it('keeps the last quiet evaluation of each kind and everything else, in order', () => {
    const executions = collectRuns(
      runs([
        [1, 1],
        [1, null],
        [1, 2],
        [1, 40],
        [2, 3],
        [1, null],
        [1, 4],
        [1, 41],
      ]),
    )
    expect(executions.map(({ ruleId, eventId, result }) => `${ruleId} ${eventId} ${result}`)).toEqual([
      '1 4 fired',
      '2 5 not_met',
      '1 6 aborted',
      '1 7 not_met',
      '1 8 fired',
    ])
    expect(executions[0]?.actions).toEqual([
      { kind: 'alarm', ok: true, detail: '40' },
      { kind: 'set-state', ok: false, detail: 'no value', stateId: 3 },
    ])
  })

  it('turns alarms only where they change, and in rounds that keep the order of each rule', () => {
    const turns = turnsOf(
      runs([
        [1, 40],
        [1, 41],
        [2, 1],
        [1, 2],
        [2, 50],
        [1, null],
        [1, 43],
      ]),
    )
    const short = turns.map(({ ruleId, raise }) => `${ruleId} ${raise?.message ?? 'resolved'}`)
    expect(short).toEqual(['1 40', '2 resolved', '1 resolved', '2 50', '1 43'])
    expect(alarmRounds(turns).map((round) => round.map(({ ruleId }) => ruleId))).toEqual([
      [1, 2],
      [1, 2],
      [1],
    ])
  })
})
