import { describe, expect, it } from 'vitest'
import { nextDue, offsetOf, periodStart, plan, type Timing } from './times.ts'

const everyDay = [1, 2, 3, 4, 5, 6, 7]
const berlin: Timing = { timeZone: 'Europe/Berlin', weekdays: everyDay, offsetS: 90 }
const next = (timing: Partial<Timing>, after: string) =>
  nextDue({ ...berlin, ...timing }, new Date(after)).toISOString()

describe('a report is due', () => {
  it.each([
    ['later the same morning', {}, '2026-06-15T04:00:00Z', '2026-06-15T04:01:30.000Z'],
    ['not at the very time', {}, '2026-06-15T04:01:30Z', '2026-06-16T04:01:30.000Z'],
    ['an hour later in winter', {}, '2026-10-24T12:00:00Z', '2026-10-25T05:01:30.000Z'],
    ['an hour earlier in summer', {}, '2026-03-28T12:00:00Z', '2026-03-29T04:01:30.000Z'],
    ['on its days only', { weekdays: [1, 3] }, '2026-06-15T12:00:00Z', '2026-06-17T04:01:30.000Z'],
    ['a week later', { weekdays: [1] }, '2026-06-15T12:00:00Z', '2026-06-22T04:01:30.000Z'],
    ['in its zone', { timeZone: 'Pacific/Auckland' }, '2026-06-15T12:00:00Z', '2026-06-15T18:01:30.000Z'],
    [
      'in half an hour zones',
      { timeZone: 'Asia/Kolkata' },
      '2026-06-15T12:00:00Z',
      '2026-06-16T00:31:30.000Z',
    ],
  ])('%s', (_, timing, after, expected) => expect(next(timing, after)).toBe(expected))

  it('once on every day of a year, whatever the clock does', () => {
    for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo']) {
      const timing = { ...berlin, timeZone }
      const days: string[] = []
      for (let at = new Date('2026-01-01T12:00:00Z'); days.length < 366; ) {
        at = nextDue(timing, at)
        const { missed, today } = plan(timing, at, at)
        expect(missed).toEqual([])
        days.push(today as string)
      }
      expect(new Set(days).size).toBe(366)
    }
  })

  it('at the same time every day, spread over the hour', () => {
    const offsets = Array.from({ length: 3600 }, (_, id) => offsetOf(id + 1))
    expect(offsetOf(1)).toBe(offsetOf(1))
    expect(Math.min(...offsets)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...offsets)).toBeLessThan(3600)
    const quarters = Map.groupBy(offsets, (offset) => Math.floor(offset / 900))
    for (const quarter of [0, 1, 2, 3]) expect(quarters.get(quarter)?.length).toBeGreaterThan(700)
  })
})

describe('after downtime', () => {
  const planned = (dueAt: string, now: string, timing: Partial<Timing> = {}) => {
    const { nextAt, ...rest } = plan({ ...berlin, ...timing }, new Date(dueAt), new Date(now))
    return { ...rest, nextAt: nextAt.toISOString() }
  }

  it('is sent late on the same day', () => {
    expect(planned('2026-06-15T04:01:30Z', '2026-06-15T21:59:59Z')).toEqual({
      missed: [],
      today: '2026-06-15',
      nextAt: '2026-06-16T04:01:30.000Z',
    })
  })

  it('is not sent for earlier days, which are named', () => {
    expect(planned('2026-06-12T04:01:30Z', '2026-06-15T08:00:00Z')).toEqual({
      missed: ['2026-06-12', '2026-06-13', '2026-06-14'],
      today: '2026-06-15',
      nextAt: '2026-06-16T04:01:30.000Z',
    })
  })

  it('waits for its time, and only names its days', () => {
    expect(planned('2026-06-12T04:01:30Z', '2026-06-15T03:00:00Z', { weekdays: [1, 5] })).toEqual({
      missed: ['2026-06-12'],
      today: null,
      nextAt: '2026-06-15T04:01:30.000Z',
    })
  })

  it('names a month at most', () => {
    expect(planned('2020-01-01T04:01:30Z', '2026-06-15T08:00:00Z').missed).toHaveLength(31)
  })
})

it('is about a day, a week or a month of the calendar', () => {
  const now = new Date('2026-03-29T06:00:00Z')
  const start = (period: 'day' | 'week' | 'month') => periodStart(period, 'Europe/Berlin', now).toISOString()
  // The clocks went forward on this day.
  expect(start('day')).toBe('2026-03-28T07:00:00.000Z')
  expect(start('week')).toBe('2026-03-22T07:00:00.000Z')
  expect(start('month')).toBe('2026-02-28T07:00:00.000Z')
})
