import type { RuleTrigger } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { isWokenByAlarm } from './alarm/index.ts'
import { changedSeen } from './changes/changed.ts'
import { isWokenByHealth } from './health/index.ts'
import {
  checkTriggers,
  followsChangesOnly,
  nextOf,
  waitingOf,
  wakingStatesOf,
  watchedRulesOf,
  watchesOf,
} from './index.ts'
import { isWokenByRule } from './rule/index.ts'

const metrics = [
  { alias: 'level', stateId: 1, operation: 'latest', abortIfNull: true },
  { alias: 'mean', stateId: 1, operation: 'avg', lastMinutes: 10, abortIfNull: true },
  { alias: 'door', stateId: 2, operation: 'latest', abortIfNull: true },
] as const
const rule = (...triggers: RuleTrigger[]) => ({ triggers, metrics })
const zones = ['Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'UTC']
const minuteMs = 60_000

describe('what wakes a rule', () => {
  it('are the values of its metrics only where a trigger says so', () => {
    expect(wakingStatesOf(rule({ kind: 'values' }))).toEqual([1, 2])
    expect(wakingStatesOf(rule({ kind: 'changes' }, { kind: 'values' }))).toEqual([1, 2])
    expect(wakingStatesOf(rule({ kind: 'interval', hours: 1 }))).toEqual([])
    expect(wakingStatesOf(rule({ kind: 'silence', metric: 'door', minutes: 5 }))).toEqual([2])
  })

  it('are alarms and the health of its twin, and other rules', () => {
    const watching = rule(
      { kind: 'alarm', on: 'raised', below: false },
      { kind: 'alarm', on: 'resolved', below: true },
      { kind: 'health', on: 'both', below: false },
      { kind: 'rule', ruleId: 9, on: 'fired' },
    )
    expect(watchesOf(watching, 7)).toEqual([
      { kind: 'alarm', id: 7, below: true },
      { kind: 'health', id: 7, below: false },
      { kind: 'rule', id: 9, below: false },
    ])
    expect(watchedRulesOf(watching)).toEqual([9])
  })

  it('is the clock', () => {
    const now = new Date('2026-03-02T10:00:00.000Z')
    const waiting = rule(
      { kind: 'values' },
      { kind: 'silence', metric: 'mean', minutes: 30 },
      { kind: 'interval', hours: 6 },
      { kind: 'manual' },
    )
    expect(waitingOf(waiting, now, 'UTC')).toEqual([
      { trigger: 1, silence: { stateId: 1, ms: 30 * minuteMs } },
      { trigger: 2, dueAt: new Date('2026-03-02T12:00:00.000Z') },
    ])
  })
})

describe('drafts', () => {
  it('must name their own metrics', () => {
    expect(checkTriggers(rule({ kind: 'silence', metric: 'roof', minutes: 5 }))).toMatchObject([
      { path: ['triggers', '0', 'metric'], text: 'aliasUnknown' },
    ])
  })

  it.each(['60 * * * *', '* * 31 2 *', '* * * * 9', 'a b c d e', '*/0 * * * *'])(
    'cannot wait for %s',
    (expression) => {
      expect(checkTriggers(rule({ kind: 'manual' }, { kind: 'cron', expression }))).toMatchObject([
        { path: ['triggers', '1', 'expression'], text: 'cronInvalid' },
      ])
    },
  )

  it('may wait for a leap day', () => {
    const trigger = { kind: 'cron', expression: '0 8 29 2 *' } as const
    expect(checkTriggers(rule(trigger))).toEqual([])
    expect(nextOf(trigger, new Date('2026-03-01T00:00:00Z'), 'UTC')).toEqual(
      new Date('2028-02-29T08:00:00.000Z'),
    )
  })
})

/** The first minute after `after` at which a clock on the wall shows the time, found by looking at every minute. */
function slowNext(
  { hour, minute, days }: Extract<RuleTrigger, { kind: 'daily' }>,
  after: Date,
  zone: string,
): number {
  const first = (Math.floor(after.getTime() / minuteMs) + 1) * minuteMs
  const shown = new Set<string>()
  for (let ms = first - 180 * minuteMs; ; ms += minuteMs) {
    const time = DateTime.fromMillis(ms, { zone })
    if (time.hour !== hour || time.minute !== minute || !days.includes(time.weekday)) continue
    // The hour that the clock shows twice counts the first time.
    if (shown.has(time.toISODate() ?? '')) continue
    shown.add(time.toISODate() ?? '')
    if (ms >= first) return ms
  }
}

describe('a time of day', () => {
  it('is the one that a clock on the wall shows next (also when clocks change)', () => {
    const nearChanges = fc.constantFrom('2026-03-28', '2026-10-24', '2026-03-07', '2026-10-31', '2026-07-01')
    fc.assert(
      fc.property(
        fc.record({
          start: nearChanges,
          minutes: fc.nat(3 * 1440),
          hour: fc.nat(23),
          minute: fc.nat(59),
          days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
          zone: fc.constantFrom(...zones),
        }),
        ({ start, minutes, hour, minute, days, zone }) => {
          const after = new Date(Date.parse(`${start}T00:00:00Z`) + minutes * minuteMs)
          const trigger = { kind: 'daily', hour, minute, days } as const
          const found = nextOf(trigger, after, zone)?.getTime() ?? 0
          const local = DateTime.fromMillis(found, { zone })
          // A time that clocks skip is an hour later on that day; a clock on the wall does not show it.
          if (local.hour !== hour || local.minute !== minute) {
            expect(days).toContain(local.weekday)
            expect(local.minus({ hours: 1 }).toMillis()).toBe(found - 3_600_000)
            expect(DateTime.fromObject({ ...local.toObject(), hour, minute }, { zone }).hour).not.toBe(hour)
            return
          }
          expect(found).toBeLessThanOrEqual(slowNext(trigger, after, zone))
          expect(found).toBeGreaterThan(after.getTime())
        },
      ),
    )
  })

  it('that clocks skip in spring is an hour later', () => {
    const trigger: RuleTrigger = { kind: 'daily', hour: 2, minute: 30, days: [7] }
    expect(nextOf(trigger, new Date('2026-03-28T12:00:00Z'), 'Europe/Berlin')).toEqual(
      new Date('2026-03-29T01:30:00.000Z'),
    )
  })

  it('that clocks show twice in autumn comes once', () => {
    const trigger: RuleTrigger = { kind: 'daily', hour: 2, minute: 30, days: [1, 2, 3, 4, 5, 6, 7] }
    const first = nextOf(trigger, new Date('2026-10-24T12:00:00Z'), 'Europe/Berlin') as Date
    expect(first).toEqual(new Date('2026-10-25T00:30:00.000Z'))
    expect(nextOf(trigger, first, 'Europe/Berlin')).toEqual(new Date('2026-10-26T01:30:00.000Z'))
  })

  it('in cron is that of the account', () => {
    const trigger = { kind: 'cron', expression: '15 7 * * 1-5' } as const
    expect(nextOf(trigger, new Date('2026-11-27T12:00:00Z'), 'Europe/Berlin')).toEqual(
      new Date('2026-11-30T06:15:00.000Z'),
    )
  })
})

describe('changes', () => {
  it('are values that differ from those seen last', () => {
    const values = new Map<number, number | string>([
      [1, 5],
      [2, 'open'],
      [9, 1],
    ])
    const seen = changedSeen(null, values, [1, 2])
    expect(seen).toEqual({ 1: 5, 2: 'open' })
    expect(changedSeen(seen, values, [1, 2])).toBeNull()
    expect(changedSeen(seen, new Map([[2, 'shut']]), [1, 2])).toEqual({ 1: 5, 2: 'shut' })
  })

  it('are all that wakes a rule only without the trigger for values', () => {
    expect(followsChangesOnly(rule({ kind: 'changes' }))).toBe(true)
    expect(followsChangesOnly(rule({ kind: 'changes' }, { kind: 'values' }))).toBe(false)
    expect(followsChangesOnly(rule({ kind: 'manual' }))).toBe(false)
  })
})

it.each([
  ['raised', false, true],
  ['raised', true, false],
  ['resolved', true, true],
  ['resolved', false, false],
  ['both', true, true],
  ['both', false, true],
] as const)('alarms: %s, resolved %s', (on, resolved, expected) => {
  expect(isWokenByAlarm({ on }, { resolved })).toBe(expected)
})

it.each([
  ['worse', 0, 2, true],
  ['worse', 2, 1, false],
  ['better', 2, 1, true],
  ['better', 1, 1, false],
  ['both', 1, 2, true],
] as const)('health: %s, %i to %i', (on, from, to, expected) => {
  expect(isWokenByHealth({ on }, { from, to })).toBe(expected)
})

it.each([
  ['fired', 'fired', 'fired', true],
  ['fired', null, 'throttled', false],
  ['met', null, 'fired', true],
  ['met', 'not_met', 'throttled', true],
  ['met', 'fired', 'throttled', false],
  ['met', 'fired', 'fired', false],
  ['unmet', 'fired', 'not_met', true],
  ['unmet', null, 'not_met', true],
  ['unmet', 'not_met', 'not_met', false],
  ['unmet', 'fired', 'aborted', false],
  ['met', 'fired', 'error', false],
] as const)('another rule: %s, %s to %s', (on, before, result, expected) => {
  expect(isWokenByRule({ on }, before, result)).toBe(expected)
})
