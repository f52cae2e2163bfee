import { describe, expect, it } from 'vitest'
import { dueAt, minuteOf, timeOf } from './times.ts'

const timeZone = 'Europe/Berlin'
const at = (local: string) => new Date(`2026-06-15T${local}:00+02:00`)
const next = (local: string) => new Date(`2026-06-16T${local}:00+02:00`)
const night = { from: minuteOf('22:00'), to: minuteOf('06:30') }
const noon = { from: minuteOf('12:00'), to: minuteOf('13:00') }

describe('what happens is told', () => {
  it.each([
    [null, null, '03:00', at('03:00')],
    [null, night, '21:59', at('21:59')],
    [null, night, '22:00', next('06:30')],
    [null, night, '23:59', next('06:30')],
    [null, night, '00:00', at('06:30')],
    [null, night, '06:29', at('06:30')],
    [null, night, '06:30', at('06:30')],
    [null, noon, '11:59', at('11:59')],
    [null, noon, '12:30', at('13:00')],
    [null, noon, '13:00', at('13:00')],
    [null, { from: 60, to: 60 }, '01:00', at('01:00')],
    ['07:00', null, '06:59', at('07:00')],
    ['07:00', null, '07:00', next('07:00')],
    ['07:00', night, '23:00', next('07:00')],
  ])('with a digest at %s and quiet %o, at %s: %o', (digest, quiet, now, expected) => {
    const timing = { timeZone, digestMinute: digest === null ? null : minuteOf(digest), quiet }
    expect(dueAt(timing, at(now))).toEqual(expected)
  })

  it('by the clock on the wall when it changes', () => {
    const digest = { timeZone, digestMinute: minuteOf('07:00'), quiet: null }
    // From Saturday to Sunday the night has 23 hours in March, 25 in October.
    expect(dueAt(digest, new Date('2026-03-28T07:00:00+01:00'))).toEqual(
      new Date('2026-03-29T07:00:00+02:00'),
    )
    expect(dueAt(digest, new Date('2026-10-24T07:00:00+02:00'))).toEqual(
      new Date('2026-10-25T07:00:00+01:00'),
    )
    const skipped = { timeZone, digestMinute: minuteOf('02:30'), quiet: null }
    expect(dueAt(skipped, new Date('2026-03-28T12:00:00+01:00'))).toEqual(
      new Date('2026-03-29T03:30:00+02:00'),
    )
  })
})

it('a time of day is a minute and back', () => {
  for (const time of ['00:00', '07:05', '23:59']) expect(timeOf(minuteOf(time))).toBe(time)
})
