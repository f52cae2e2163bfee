import { describe, expect, it } from 'vitest'
import { alarmRounds, turnsOf } from './actions/alarm/turns.ts'
import { collectRuns, type QuietExecution, type RuleRun } from './collect.ts'
import { newState, step } from './step.ts'
import type { RunRule } from './store/pipeline.ts'

function rule(id: number, twinId = 7): RunRule {
  return {
    id,
    version: 1,
    twinId,
    homeId: 7,
    isForMany: false,
    isOfTemplate: false,
    related: new Map(),
    ownStates: new Map(),
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

function runs(values: [ruleId: number, value: number | null, twinId?: number][]): RuleRun[] {
  return values.map(([ruleId, value, twinId = 7], index) => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index))
    const input =
      value === null
        ? ({ kind: 'aborted', inputs: { t: null }, alias: 't' } as const)
        : ({ kind: 'values', inputs: { t: value } } as const)
    return {
      rule: rule(ruleId, twinId),
      wake: { ruleId, twinId, eventId: index + 1, at, until: at, values: new Map(), cause: null, depth: 0 },
      input,
      outcome: step({ ...rule(ruleId), decimals: new Map() }, newState, input, { at }),
      durationUs: 5,
    }
  })
}

describe('collectRuns', () => {
  it('keeps the last quiet evaluation of each kind and everything else, in order', () => {
    const { kept, quiet } = collectRuns(
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
    const short = ({ ruleId, eventId, result }: QuietExecution) => `${ruleId} ${eventId} ${result}`
    expect(kept.map(short)).toEqual(['1 4 fired', '1 8 fired'])
    expect(quiet.map(short)).toEqual(['2 5 not_met', '1 6 aborted', '1 7 not_met'])
    expect([...kept, ...quiet].every(({ twinId }) => twinId === 7)).toBe(true)
    expect(kept[0]?.actions).toEqual([
      { kind: 'alarm', ok: true, detail: '40' },
      { kind: 'set-state', ok: false, detail: 'no value', stateId: 3 },
    ])
  })

  it('keeps twins of one rule apart', () => {
    const all = runs([
      [1, 1, 7],
      [1, 1, 8],
      [1, 40, 7],
      [1, 50, 8],
      [1, 2, 7],
    ])
    const { kept, quiet } = collectRuns(all)
    const short = ({ twinId, eventId }: QuietExecution) => [twinId, eventId]
    expect(kept.map(short)).toEqual([
      [7, 3],
      [8, 4],
    ])
    expect(quiet.map(short)).toEqual([
      [8, 2],
      [7, 5],
    ])
    const turns = turnsOf(all)
    expect(turns.map(({ twinId, raise }) => [twinId, raise?.message ?? null])).toEqual([
      [7, null],
      [8, null],
      [7, '40'],
      [8, '50'],
      [7, null],
    ])
    expect(alarmRounds(turns).map((round) => round.map(({ twinId }) => twinId))).toEqual([
      [7, 8],
      [7, 8],
      [7],
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
