import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseDuration, firstIntervals, intervalStart, intervalsOf, nextInterval } from './intervals.ts'

const ms = (iso: string) => Date.parse(iso)
const berlin = 'Europe/Berlin'
const hours = (from: number, to: number) => (to - from) / 3_600_000

describe('intervals in a time zone', () => {
  it('cuts days at local midnight', () => {
    expect(intervalStart(ms('2026-07-01T21:30:00Z'), '1d', berlin)).toBe(ms('2026-06-30T22:00:00Z'))
    expect(intervalStart(ms('2026-07-01T22:30:00Z'), '1d', berlin)).toBe(ms('2026-07-01T22:00:00Z'))
  })
  it('gives the day on which the clocks go forward 23 hours and the other one 25', () => {
    const spring = ms('2026-03-28T23:00:00Z')
    expect(hours(spring, nextInterval(spring, '1d', berlin))).toBe(23)
    const autumn = ms('2026-10-24T22:00:00Z')
    expect(hours(autumn, nextInterval(autumn, '1d', berlin))).toBe(25)
  })
  it('has six-hour intervals at 0, 6, 12 and 18 by the wall clock, also when the clocks change', () => {
    const day = intervalsOf(ms('2026-10-24T22:00:00Z'), ms('2026-10-25T23:00:00Z'), '6h', berlin, 10)
    expect(day?.map((start) => new Date(start).toISOString())).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T05:00:00.000Z',
      '2026-10-25T11:00:00.000Z',
      '2026-10-25T17:00:00.000Z',
    ])
  })
  it('has a last six hours that are shorter or longer when the clocks change in them', () => {
    // In Beirut the clocks go back at midnight, so that eleven o'clock comes twice.
    const beirut = 'Asia/Beirut'
    const start = ms('2026-10-24T15:00:00Z')
    expect(intervalStart(ms('2026-10-24T21:30:00Z'), '6h', beirut)).toBe(start)
    expect(hours(start, nextInterval(start, '6h', beirut))).toBe(7)
    expect(intervalStart(ms('2026-10-25T03:30:00Z'), '6h', berlin)).toBe(ms('2026-10-24T22:00:00Z'))
    expect(intervalStart(ms('2026-03-29T02:30:00Z'), '6h', berlin)).toBe(ms('2026-03-28T23:00:00Z'))
  })
  it('counts fixed lengths from the hour in every zone', () => {
    const at = ms('2026-10-25T00:59:59Z')
    for (const zone of ['UTC', berlin, 'Asia/Kathmandu']) {
      expect(intervalStart(at, '5m', zone)).toBe(ms('2026-10-25T00:55:00Z'))
      expect(intervalStart(at, '15m', zone)).toBe(ms('2026-10-25T00:45:00Z'))
      expect(nextInterval(ms('2026-10-25T00:45:00Z'), '15m', zone)).toBe(ms('2026-10-25T01:00:00Z'))
    }
  })
  it('begins weeks on Monday and months on the first', () => {
    expect(intervalStart(ms('2026-11-20T12:00:00Z'), '1w', berlin)).toBe(ms('2026-11-15T23:00:00Z'))
    expect(intervalStart(ms('2026-11-20T12:00:00Z'), '1mo', berlin)).toBe(ms('2026-10-31T23:00:00Z'))
  })
  it('cuts hours by the local clock in zones half an hour off', () => {
    expect(intervalStart(ms('2026-01-01T05:10:00Z'), '1h', 'Asia/Kolkata')).toBe(ms('2026-01-01T04:30:00Z'))
  })
  it('says so when there are more than asked for', () => {
    expect(intervalsOf(0, ms('2026-01-01T00:00:00Z'), '5m', berlin, 2000)).toBeNull()
    expect(intervalsOf(0, 1_200_000, '5m', berlin, 4)).toEqual([0, 300_000, 600_000, 900_000])
    expect(intervalsOf(0, 1_200_000, '5m', berlin, 3)).toBeNull()
    expect(firstIntervals(0, 1_200_000, '5m', berlin, 3)).toEqual([0, 300_000, 600_000])
  })
})

describe('choosing an interval', () => {
  const day = 86_400_000
  it.each([
    [day / 24, 'raw'],
    [day, '5m'],
    [7 * day, '1h'],
    [31 * day, '6h'],
    [365 * day, '1d'],
    [20 * 365 * day, '1mo'],
  ] as const)('for %d ms is %s', (length, expected) => {
    expect(chooseDuration(0, length, 2000)).toBe(expected)
    expect(chooseDuration(day, day + length, 2000)).toBe(expected)
  })
  it.each([
    [6 * 3_600_000, 10, 'raw'],
    [6 * 3_600_000 + 1, 500, '5m'],
    [500 * 300_000, 500, '5m'],
    [500 * 300_000 + 1, 500, '15m'],
    [500 * 900_000, 2000, '15m'],
    [100 * 365 * day, 2, '1mo'],
  ] as const)('for %d ms and %d points is %s', (length, points, expected) => {
    expect(chooseDuration(0, length, points)).toBe(expected)
  })
})

describe('intervals across changes of clocks', () => {
  const iso = (starts: number[] | null) => starts?.map((start) => new Date(start).toISOString().slice(0, 16))

  it('keeps the hour that comes twice apart', () => {
    expect(
      iso(intervalsOf(ms('2026-10-25T00:00:00Z'), ms('2026-10-25T03:00:00Z'), '1h', berlin, 10)),
    ).toEqual(['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'])
  })
  it('ends an hour where clocks change by half of one', () => {
    const lordHowe = 'Australia/Lord_Howe'
    expect(
      iso(intervalsOf(ms('2026-04-04T14:10:00Z'), ms('2026-04-04T16:40:00Z'), '1h', lordHowe, 10)),
    ).toEqual(['2026-04-04T14:00', '2026-04-04T15:00', '2026-04-04T15:30', '2026-04-04T16:30'])
    expect(intervalStart(ms('2026-04-04T15:20:00Z'), '1h', lordHowe)).toBe(ms('2026-04-04T15:00:00Z'))
    expect(intervalStart(ms('2026-04-04T15:40:00Z'), '1h', lordHowe)).toBe(ms('2026-04-04T15:30:00Z'))
  })
  it('begins a day at the first midnight where that comes twice', () => {
    const [first, second] = [ms('2026-11-01T04:00:00Z'), ms('2026-11-01T05:00:00Z')]
    for (const duration of ['6h', '1d', '1mo'] as const) {
      expect(intervalStart(second, duration, 'America/Havana')).toBe(first)
      expect(intervalStart(ms('2026-11-01T08:00:00Z'), duration, 'America/Havana')).toBe(first)
    }
    expect(intervalStart(second, '1h', 'America/Havana')).toBe(second)
    expect(hours(first, nextInterval(first, '1d', 'America/Havana'))).toBe(25)
  })
  it.each([berlin, 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Havana', 'Africa/Cairo', 'UTC'])(
    'each begins where the one before ends, and every time lies in the one it should: %s',
    (zone) => {
      fc.assert(
        fc.property(
          fc.date({ min: new Date('2024-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
          fc.constantFrom('1h', '6h', '1d', '1w', '1mo' as const),
          (date, duration) => {
            const at = date.getTime()
            const start = intervalStart(at, duration, zone)
            const next = nextInterval(start, duration, zone)
            expect(start).toBeLessThanOrEqual(at)
            expect(next).toBeGreaterThan(at)
            expect(intervalStart(start, duration, zone)).toBe(start)
            expect(intervalStart(next - 1, duration, zone)).toBe(start)
            expect(intervalStart(next, duration, zone)).toBe(next)
          },
        ),
        { numRuns: 1000, verbose: 1 },
      )
    },
  )
})
