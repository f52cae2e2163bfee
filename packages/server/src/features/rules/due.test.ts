import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeDue } from './due.ts'

const minuteMs = 60_000
const start = Date.UTC(2026, 5, 1)
const at = (minutes: number) => new Date(start + minutes * minuteMs)

describe('a time that is due', () => {
  it('wakes the rule once, and moves to the next one', () => {
    const row = {
      ruleId: 1,
      twinId: 6,
      trigger: 2,
      accountId: 3,
      stateId: null,
      silenceMs: null,
      reported: null,
      newest: null,
    }
    // Several have passed unnoticed.
    expect(judgeDue(row, { kind: 'interval', hours: 1 }, 'UTC', at(200))).toEqual({
      wakes: true,
      next: { ruleId: 1, twinId: 6, trigger: 2, dueAt: at(240), reported: null },
    })
  })
})

describe('silence', () => {
  it('wakes a rule once each time, when it has lasted so long', () => {
    const silence = fc.integer({ min: 1, max: 12 })
    const values = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 30 })
    fc.assert(
      fc.property(silence, values, (minutes, times) => {
        const arrivals = [...times].sort((a, b) => a - b)
        const newestAt = (now: number) => arrivals.filter((each) => each <= now).at(-1) ?? null
        // The first one counts from when the rule was stored, at 0.
        const expected = [0, ...arrivals].flatMap((value, index, all) => {
          const end = value + minutes
          const next = all[index + 1]
          return end <= 250 && (next === undefined || next > end) ? [end] : []
        })
        const woken: number[] = []
        let due = minutes
        let reported: Date | null = null
        while (due <= 250) {
          const newest = newestAt(due)
          const verdict = judgeDue(
            {
              ruleId: 1,
              twinId: 6,
              trigger: 0,
              accountId: 1,
              stateId: 5,
              silenceMs: minutes * minuteMs,
              reported,
              newest: newest === null ? null : at(newest),
            },
            { kind: 'silence', metric: 'level', minutes },
            'UTC',
            at(due),
          )
          if (verdict.wakes) woken.push(due)
          reported = verdict.next.reported
          const next = ((verdict.next.dueAt as Date).getTime() - start) / minuteMs
          expect(next).toBeGreaterThan(due)
          due = next
        }
        expect(woken).toEqual(expected)
      }),
    )
  })
})
