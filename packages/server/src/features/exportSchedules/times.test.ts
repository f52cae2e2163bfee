import type { ExportFrequency } from '@leitstand/contract/exportSchedules'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { missedMax, nextDue, plan } from './times.ts'

const berlin = 'Europe/Berlin'
const daily = (time: string): ExportFrequency => ({ every: 'day', time })
const next = (frequency: ExportFrequency, after: string, timeZone = berlin) =>
  nextDue({ frequency, timeZone }, new Date(after)).toISOString()
/** The next times, as a clock of the zone shows them. */
const following = (frequency: ExportFrequency, after: string, count: number, timeZone = berlin) => {
  const times: string[] = []
  for (let at = new Date(after); times.length < count; ) {
    at = nextDue({ frequency, timeZone }, at)
    times.push(DateTime.fromJSDate(at, { zone: timeZone }).toFormat('yyyy-MM-dd HH:mm ZZ'))
  }
  return times
}

describe('a schedule is due', () => {
  it.each<[string, ExportFrequency, string, string]>([
    ['later the same day', daily('06:00'), '2026-06-15T03:00:00Z', '2026-06-15T04:00:00.000Z'],
    ['not at the very time', daily('06:00'), '2026-06-15T04:00:00Z', '2026-06-16T04:00:00.000Z'],
    [
      'on its weekday',
      { every: 'week', weekday: 1, time: '00:15' },
      '2026-06-15T12:00:00Z',
      '2026-06-21T22:15:00.000Z',
    ],
    [
      'on a day of the month',
      { every: 'month', day: 1, time: '00:15' },
      '2026-11-27T12:00:00Z',
      '2026-11-30T23:15:00.000Z',
    ],
    [
      'on the last day of a leap month',
      { every: 'month', day: 'last', time: '12:00' },
      '2028-02-01T00:00:00Z',
      '2028-02-29T11:00:00.000Z',
    ],
    [
      'once a year',
      { every: 'year', month: 1, day: 2, time: '03:00' },
      '2026-06-15T12:00:00Z',
      '2027-01-02T02:00:00.000Z',
    ],
    [
      'a day earlier in years without it',
      { every: 'year', month: 2, day: 29, time: '12:00' },
      '2026-06-15T12:00:00Z',
      '2027-02-28T11:00:00.000Z',
    ],
    [
      'at a minute of the hour',
      { every: 'hour', minute: 5 },
      '2026-06-15T12:05:00Z',
      '2026-06-15T13:05:00.000Z',
    ],
  ])('%s', (_, frequency, after, expected) => expect(next(frequency, after)).toBe(expected))

  it('in its zone', () => {
    expect(next(daily('06:00'), '2026-06-15T12:00:00Z', 'Pacific/Auckland')).toBe('2026-06-15T18:00:00.000Z')
    expect(next({ every: 'hour', minute: 0 }, '2026-06-15T12:00:00Z', 'Asia/Kolkata')).toBe(
      '2026-06-15T12:30:00.000Z',
    )
  })
})

describe('when the clocks change', () => {
  it('a time that is skipped is later by as much', () => {
    expect(following(daily('02:30'), '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28 02:30 +01:00',
      '2026-03-29 03:30 +02:00',
      '2026-03-30 02:30 +02:00',
    ])
  })

  it('a time that comes twice counts once, the first time', () => {
    expect(following(daily('02:30'), '2026-10-24T00:00:00Z', 3)).toEqual([
      '2026-10-24 02:30 +02:00',
      '2026-10-25 02:30 +02:00',
      '2026-10-26 02:30 +01:00',
    ])
  })

  it('every hour that passes is one hour', () => {
    expect(following({ every: 'hour', minute: 15 }, '2026-10-24T23:50:00Z', 3)).toEqual([
      '2026-10-25 02:15 +02:00',
      '2026-10-25 02:15 +01:00',
      '2026-10-25 03:15 +01:00',
    ])
    expect(following({ every: 'hour', minute: 15 }, '2026-03-29T00:00:00Z', 2)).toEqual([
      '2026-03-29 01:15 +01:00',
      '2026-03-29 03:15 +02:00',
    ])
  })

  it('a day that a zone leaves out is none', () => {
    // Samoa went from 29 to 31 December 2011.
    expect(following(daily('12:00'), '2011-12-28T23:00:00Z', 3, 'Pacific/Apia')).toEqual([
      '2011-12-29 12:00 -10:00',
      '2011-12-31 12:00 +14:00',
      '2012-01-01 12:00 +14:00',
    ])
  })
})

const zones = [
  berlin,
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'UTC',
]
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
const frequencies: fc.Arbitrary<ExportFrequency> = fc.oneof(
  fc.record({ every: fc.constant('hour' as const), minute: fc.integer({ min: 0, max: 59 }) }),
  fc.record({ every: fc.constant('day' as const), time }),
  fc.record({ every: fc.constant('week' as const), weekday: fc.integer({ min: 1, max: 7 }), time }),
  fc.record({
    every: fc.constant('month' as const),
    day: fc.oneof(fc.integer({ min: 1, max: 28 }), fc.constant('last' as const)),
    time,
  }),
  fc.record({
    every: fc.constant('year' as const),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    time,
  }),
)
const moments = fc.date({
  min: new Date('2005-01-01T00:00:00Z'),
  max: new Date('2040-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const hourMs = 3_600_000
/** The longest time between two runs, with a change of the clocks. */
const longestMs = { hour: 2, day: 50, week: 7 * 24 + 26, month: 31 * 24 + 26, year: 366 * 24 + 26 } as const

describe('whatever the frequency, zone and time', () => {
  it('the next time is later, follows from any time before it, and is not far away', () => {
    fc.assert(
      fc.property(frequencies, fc.constantFrom(...zones), moments, (frequency, timeZone, after) => {
        const timing = { frequency, timeZone }
        const at = nextDue(timing, after)
        expect(at.getTime()).toBeGreaterThan(after.getTime())
        expect(nextDue(timing, new Date(at.getTime() - 1))).toEqual(at)
        const following = nextDue(timing, at).getTime() - at.getTime()
        expect(following).toBeLessThanOrEqual(longestMs[frequency.every] * hourMs)
      }),
    )
  })

  it('a plan names every time once', () => {
    fc.assert(
      fc.property(
        frequencies,
        fc.constantFrom(...zones),
        moments,
        fc.integer({ min: 0, max: 40 * 24 }),
        (frequency, timeZone, from, hours) => {
          const timing = { frequency, timeZone }
          const dueAt = nextDue(timing, from)
          const now = new Date(dueAt.getTime() + hours * hourMs)
          const { missed, due, nextAt } = plan(timing, dueAt, now)
          const times = [...missed, due]
          expect(due.getTime()).toBeLessThanOrEqual(now.getTime())
          expect(nextAt.getTime()).toBeGreaterThan(now.getTime())
          expect(missed.length).toBeLessThanOrEqual(missedMax)
          expect([...times.slice(1), nextAt]).toEqual(times.map((at) => nextDue(timing, at)))
          if (missed.length < missedMax) expect(times[0]).toEqual(dueAt)
        },
      ),
    )
  })
})

describe('after downtime', () => {
  const planned = (frequency: ExportFrequency, dueAt: string, now: string) =>
    plan({ frequency, timeZone: berlin }, new Date(dueAt), new Date(now))

  it('the last time is made up for, earlier ones are missed', () => {
    expect(planned(daily('06:00'), '2026-06-12T04:00:00Z', '2026-06-15T03:59:00Z')).toEqual({
      missed: [new Date('2026-06-12T04:00:00Z'), new Date('2026-06-13T04:00:00Z')],
      due: new Date('2026-06-14T04:00:00Z'),
      nextAt: new Date('2026-06-15T04:00:00Z'),
    })
  })

  it('names a limited number, however long it was', () => {
    const { missed, due } = planned(
      { every: 'hour', minute: 0 },
      '2016-06-15T04:00:00Z',
      '2026-06-15T04:30:00Z',
    )
    expect(missed).toHaveLength(missedMax)
    expect(due).toEqual(new Date('2026-06-15T04:00:00Z'))
  })
})
