import type { Condition, RuleAction } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isThrottled, newState, type StepInput, type StepRule, step } from './step.ts'

const at = new Date('2026-11-20T12:00:00.000Z')
const hours = (count: number) => new Date(at.getTime() + count * 3_600_000)

const mail: RuleAction = {
  kind: 'email',
  recipients: ['care@example.org'],
  subject: '{{twin.title}}: {{temperature}} °C',
  body: '{{rule.title}} at {{time}}: {{temperature}} °C.',
}
const alarm: RuleAction = { kind: 'alarm', severity: 'error', message: 'Too warm: {{temperature}} °C' }
const setState: RuleAction = { kind: 'set-state', stateId: 7, value: { metric: 'temperature' } }

const above30: Condition = { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } }

const rule: StepRule = {
  title: 'Too warm',
  twinTitle: 'Town hall',
  timeZone: 'Europe/Berlin',
  decimals: new Map([['temperature', 1]]),
  metrics: [],
  conditions: above30,
  throttleHours: 1,
  actions: [mail, alarm, setState],
}
const warm: StepInput = { kind: 'values', inputs: { temperature: 31.5 } }
const cool: StepInput = { kind: 'values', inputs: { temperature: 20 } }
const raise = { kind: 'alarm', raise: { severity: 'error', message: 'Too warm: 31.5 °C' } }

describe('step', () => {
  it('fires with every action and remembers when', () => {
    const fired = step(rule, { ...newState, lastFiredAt: null }, warm, { at })
    expect(fired.result).toBe('fired')
    expect(fired.state.lastFiredAt).toEqual(at)
    expect(fired.effects).toEqual([
      raise,
      {
        kind: 'email',
        recipients: ['care@example.org'],
        subject: 'Town hall: 31.5 °C',
        body: 'Too warm at 2026-11-20 13:00:00 Europe/Berlin: 31.5 °C.',
      },
      { kind: 'set-state', stateId: 7, value: 31.5 },
    ])
  })

  it('sends nothing while it is throttled, but keeps the alarm open', () => {
    const throttled = step(rule, { ...newState, lastFiredAt: hours(-0.5) }, warm, { at })
    expect(throttled).toMatchObject({ result: 'throttled', effects: [raise] })
    expect(throttled.state.lastFiredAt).toEqual(hours(-0.5))
  })

  it('resolves the alarm when the conditions are no longer met', () => {
    const done = step(rule, { ...newState, lastFiredAt: hours(-0.5) }, cool, { at })
    expect(done).toMatchObject({ result: 'not_met', effects: [{ kind: 'alarm', raise: null }] })
  })

  it.each<[StepInput, string, string]>([
    [
      { kind: 'aborted', inputs: { temperature: null }, alias: 'temperature' },
      'aborted',
      'no value for temperature',
    ],
    [{ kind: 'error', inputs: {}, code: 'SCRIPT_ERROR', message: 'script: boom' }, 'error', 'script: boom'],
  ])('leaves everything as it is when it could not look: %o', (input, result, error) => {
    const state = { lastFiredAt: hours(-2), memory: { kept: 1 }, dueAt: hours(1) }
    expect(step(rule, state, input, { at })).toEqual({ result, error, branch: null, effects: [], state })
    expect(step(rule, { ...state, dueAt: at }, input, { at }).state).toEqual({ ...state, dueAt: null })
  })

  describe('outside of its times', () => {
    // 13:00 in Berlin
    const windows = [{ days: [1, 2, 3, 4, 5, 6, 7], from: '15:00', to: '16:00' }]
    const times = { windows, dates: [], holidays: null }
    const timed: StepRule = { ...rule, executionTimes: times }

    it('fires nothing, and looks again when they begin', () => {
      expect(step(timed, newState, warm, { at })).toMatchObject({
        result: 'outside_times',
        effects: [],
        state: { lastFiredAt: null, dueAt: hours(2) },
      })
      expect(step(timed, newState, warm, { at: hours(2), recheck: true }).result).toBe('fired')
    })

    it('ends what has ended, and does not look again for nothing', () => {
      expect(step(timed, newState, cool, { at })).toMatchObject({
        result: 'outside_times',
        effects: [{ kind: 'alarm', raise: null }],
        state: { dueAt: null },
      })
    })

    it('goes on remembering', () => {
      const lasting: StepRule = { ...timed, conditions: { op: 'for', minutes: 60, condition: above30 } }
      const first = step(lasting, newState, warm, { at })
      expect(first).toMatchObject({ result: 'outside_times', state: { dueAt: hours(1) } })
      const second = step(lasting, first.state, warm, { at: hours(1), recheck: true })
      expect(second).toMatchObject({ result: 'outside_times', state: { dueAt: hours(2) } })
      expect(step(lasting, second.state, warm, { at: hours(2), recheck: true }).result).toBe('fired')
    })

    it('looks again after a month when they begin later', () => {
      const far: StepRule = {
        ...rule,
        executionTimes: { ...times, dates: [{ from: '2028-01-01', to: '2028-01-01' }] },
      }
      expect(step(far, newState, warm, { at }).state.dueAt).toEqual(hours(31 * 24))
    })
  })

  it('remembers what its conditions do, and when they are due', () => {
    const lasting: StepRule = { ...rule, conditions: { op: 'for', minutes: 60, condition: above30 } }
    const first = step(lasting, newState, warm, { at })
    expect(first).toMatchObject({ result: 'not_met', state: { dueAt: hours(1) } })
    const again = step(lasting, first.state, warm, { at: hours(1), recheck: true })
    expect(again).toMatchObject({ result: 'fired', state: { dueAt: null, lastFiredAt: hours(1) } })
    expect(step(lasting, first.state, cool, { at: hours(1) }).state).toEqual({ ...newState, memory: {} })
  })

  it.each([
    [0, hours(0), false],
    [0, hours(1), false],
    [1, null, false],
    [1, hours(-0.99), true],
    [1, hours(-1), false],
    [24, hours(-23), true],
  ])('throttle of %d h after %o: %j', (throttleHours, lastFiredAt, silent) => {
    expect(isThrottled(throttleHours, lastFiredAt, at)).toBe(silent)
  })

  it('never fires twice within the throttle, and always once it is over (seed 20261120)', () => {
    const gapsMinutes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(gapsMinutes, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (gaps, met) => {
        let state = newState
        let now = at.getTime()
        for (const [index, gap] of gaps.entries()) {
          now += gap * 60_000
          const before = state.lastFiredAt
          const next = step(rule, state, met[index] ? warm : cool, { at: new Date(now) })
          const free = before === null || now - before.getTime() >= 3_600_000
          expect(next.result === 'fired').toBe(met[index] === true && free)
          state = next.state
        }
      }),
      { seed: 20_261_120 },
    )
  })
})
