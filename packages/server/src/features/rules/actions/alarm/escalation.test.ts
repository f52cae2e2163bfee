import type { AlarmEscalation } from '@leitstand/contract/rules/actions/alarm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextReminder, remindedAt } from './escalation.ts'

const raised = new Date('2026-11-26T07:00:00.000Z')
const after = (minutes: number) => new Date(raised.getTime() + minutes * 60_000)
const care = { afterMinutes: 5, recipients: ['care@example.org'] }
const boss = { afterMinutes: 20, recipients: ['boss@example.org', 'care@example.org'] }
const escalation = (everyMinutes: number | null): AlarmEscalation => ({
  everyMinutes,
  until: 'acknowledged',
  steps: [boss, care],
})

describe('reminders of an alarm', () => {
  it.each([
    [null, 0, 5],
    [null, 5, 20],
    [null, 20, null],
    [10, 0, 5],
    [10, 5, 15],
    [10, 15, 20],
    [10, 20, 25],
    [10, 300, 305],
    // The steps are over by the time the server is back: only the rhythm goes on.
    [10, 301, 305],
  ])('every %s minutes come %i minutes after it was raised next at %s', (every, at, next) => {
    expect(nextReminder(escalation(every), raised, after(at))).toEqual(next === null ? null : after(next))
  })

  it('go to everyone reached so far, once', () => {
    expect(remindedAt(escalation(10), raised, after(4))).toEqual([])
    expect(remindedAt(escalation(10), raised, after(5))).toEqual(['care@example.org'])
    expect(remindedAt(escalation(10), raised, after(20))).toEqual(['boss@example.org', 'care@example.org'])
  })

  it('are at each step and each repetition, as a list minute by minute has them', () => {
    const Steps = fc.array(
      fc.record({
        afterMinutes: fc.integer({ min: 1, max: 60 }),
        recipients: fc.constant<string[]>(['a@b.c']),
      }),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(Steps, fc.option(fc.integer({ min: 1, max: 30 })), (steps, everyMinutes) => {
        const plan: AlarmEscalation = { everyMinutes, until: 'resolved', steps }
        const first = Math.min(...steps.map(({ afterMinutes }) => afterMinutes))
        const expected: number[] = []
        for (let minute = 0; minute <= 120; minute++) {
          const isStep = steps.some(({ afterMinutes }) => afterMinutes === minute)
          const isRepeat = everyMinutes !== null && minute >= first && (minute - first) % everyMinutes === 0
          if (isStep || isRepeat) expected.push(minute)
        }
        const actual: number[] = []
        for (let at = nextReminder(plan, raised, raised); at !== null && at <= after(120); ) {
          actual.push((at.getTime() - raised.getTime()) / 60_000)
          at = nextReminder(plan, raised, at)
        }
        expect(actual).toEqual(expected)
      }),
    )
  })
})
