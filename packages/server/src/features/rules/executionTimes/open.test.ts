import type { ExecutionTimes } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOpen, nextOpening, searchDaysMax } from './open.ts'

const always: ExecutionTimes = { windows: [], dates: [], holidays: null }
const workdays = [1, 2, 3, 4, 5]
const holidays = new Set(['2026-03-30', '2026-10-26', '2026-12-25'])
const berlin = { timeZone: 'Europe/Berlin', isHoliday: (day: string) => holidays.has(day) }

describe('isOpen', () => {
  const day: ExecutionTimes = { ...always, windows: [{ days: workdays, from: '07:00', to: '17:00' }] }
  const night: ExecutionTimes = { ...always, windows: [{ days: [5], from: '22:00', to: '06:00' }] }

  it.each<[string, ExecutionTimes, string, boolean]>([
    ['without times', always, '2026-06-06T12:00:00Z', true],
    ['before the window', day, '2026-06-05T04:59:59Z', false],
    ['at its begin', day, '2026-06-05T05:00:00Z', true],
    ['just before its end', day, '2026-06-05T14:59:59Z', true],
    ['at its end', day, '2026-06-05T15:00:00Z', false],
    ['on another weekday', day, '2026-06-06T08:00:00Z', false],
    ['in the evening of the night', night, '2026-06-05T21:00:00Z', true],
    ['in the morning after it', night, '2026-06-06T03:59:00Z', true],
    ['when the night is over', night, '2026-06-06T04:00:00Z', false],
    ['in the morning before it', night, '2026-06-05T03:00:00Z', false],
    [
      'for a whole day, with the same two times',
      { ...always, windows: [{ days: [5], from: '12:00', to: '12:00' }] },
      '2026-06-06T09:59:00Z',
      true,
    ],
    [
      'on the last date',
      { ...always, dates: [{ from: '2026-06-01', to: '2026-06-05' }] },
      '2026-06-05T21:59:00Z',
      true,
    ],
    [
      'after the last date',
      { ...always, dates: [{ from: '2026-06-01', to: '2026-06-05' }] },
      '2026-06-05T22:00:00Z',
      false,
    ],
    [
      'in another range',
      {
        ...always,
        dates: [
          { from: '2026-01-01', to: '2026-01-01' },
          { from: '2026-06-05', to: '2026-06-05' },
        ],
      },
      '2026-06-05T12:00:00Z',
      true,
    ],
    ['on a holiday', { ...always, holidays: { country: 'DE', on: 'except' } }, '2026-12-25T12:00:00Z', false],
    [
      'on a holiday only',
      { ...always, holidays: { country: 'DE', on: 'only' } },
      '2026-12-25T12:00:00Z',
      true,
    ],
    ['on no holiday', { ...always, holidays: { country: 'DE', on: 'only' } }, '2026-12-24T12:00:00Z', false],
    [
      'in the hour that is repeated',
      { ...always, windows: [{ days: [7], from: '02:00', to: '03:00' }] },
      '2026-10-25T01:30:00Z',
      true,
    ],
  ])('%s', (_name, times, at, open) => {
    expect(isOpen(times, new Date(at), berlin)).toBe(open)
  })
})

describe('nextOpening', () => {
  it('is now when it is open', () => {
    const now = new Date('2026-06-05T05:00:30Z')
    expect(nextOpening(always, now, berlin)).toEqual(now)
  })

  it('of a window in the hour that is skipped is the moment at which the clocks change', () => {
    const times: ExecutionTimes = { ...always, windows: [{ days: [7], from: '02:30', to: '04:00' }] }
    expect(nextOpening(times, new Date('2026-03-28T12:00:00Z'), berlin)).toEqual(
      new Date('2026-03-29T01:00:00Z'),
    )
  })

  it('is not looked for beyond a limit', () => {
    const times: ExecutionTimes = { ...always, dates: [{ from: '2027-06-01', to: '2027-06-01' }] }
    expect(nextOpening(times, new Date('2026-06-05T12:00:00Z'), berlin)).toBeNull()
    const near: ExecutionTimes = { ...always, dates: [{ from: '2026-07-06', to: '2026-07-06' }] }
    expect(searchDaysMax).toBe(31)
    expect(nextOpening(near, new Date('2026-06-05T12:00:00Z'), berlin)).toEqual(
      new Date('2026-07-05T22:00:00Z'),
    )
  })
})

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  formats.set(timeZone, format)
  return format
}

/** Minute by minute, by the clock on the wall. */
function model(times: ExecutionTimes, at: Date, timeZone: string): boolean {
  const [today = '', clock = ''] = formatOf(timeZone).format(at).split(' ')
  const yesterday = new Date(Date.parse(`${today}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
  const fits = (day: string) =>
    (times.dates.length === 0 || times.dates.some(({ from, to }) => day >= from && day <= to)) &&
    (times.holidays === null || (times.holidays.on === 'only') === holidays.has(day))
  const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7
  if (times.windows.length === 0) return fits(today)
  return times.windows.some(({ days, from, to }) => {
    const isOf = (day: string) => days.includes(weekday(day)) && fits(day)
    if (from < to) return clock >= from && clock < to && isOf(today)
    return (clock >= from && isOf(today)) || (clock < to && isOf(yesterday))
  })
}

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 45, 59))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
const nightClock = fc.oneof(
  clock,
  fc.constantFrom('00:00', '01:30', '02:00', '02:15', '02:30', '03:00', '03:30'),
)

/** The begins of days around the nights of clock change, and others. */
const zones = {
  'Europe/Berlin': ['2026-03-28', '2026-10-24', '2026-12-24'],
  'Australia/Lord_Howe': ['2026-04-03', '2026-10-02'],
  'Asia/Kolkata': ['2026-03-28'],
  'America/Sao_Paulo': ['2018-11-02'],
} as const

const situation = fc.constantFrom(...(Object.keys(zones) as (keyof typeof zones)[])).chain((timeZone) => {
  const starts: readonly string[] = zones[timeZone]
  return fc.constantFrom(...starts).chain((start) => {
    const day = fc
      .integer({ min: 0, max: 4 })
      .map((count) =>
        new Date(Date.parse(`${start}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10),
      )
    return fc.record({
      timeZone: fc.constant(timeZone),
      start: fc.constant(start),
      times: fc.record({
        windows: fc.array(
          fc.record({
            days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
            from: nightClock,
            to: nightClock,
          }),
          { maxLength: 3 },
        ),
        dates: fc.array(fc.record({ from: day, to: day }), { maxLength: 2 }),
        holidays: fc.constantFrom<ExecutionTimes['holidays']>(
          null,
          { country: 'DE', on: 'except' },
          { country: 'DE', on: 'only' },
        ),
      }),
    })
  })
})

describe('times of execution', () => {
  it('are what the clock on the wall says at every minute, and the next opening is found (seed 20261120)', () => {
    const minutes = 4 * 24 * 60
    fc.assert(
      fc.property(situation, ({ timeZone, start, times }) => {
        const calendar = { ...berlin, timeZone }
        const from = Date.parse(`${start}T00:00:00Z`)
        const open = Array.from({ length: minutes }, (_, minute) =>
          model(times, new Date(from + minute * 60_000), timeZone),
        )
        const step = 13
        let next = open.length
        for (let minute = open.length - 1; minute >= 0; minute--) {
          if (open[minute]) next = minute
          if (minute % step !== 0) continue
          const at = new Date(from + minute * 60_000)
          expect(isOpen(times, at, calendar)).toBe(open[minute])
          if (minute % (step * 11) !== 0 || next === open.length) continue
          expect(nextOpening(times, at, calendar)).toEqual(new Date(from + next * 60_000))
        }
      }),
      { seed: 20_261_120, numRuns: 30 },
    )
  })
})
