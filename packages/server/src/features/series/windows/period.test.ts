import type { Span } from '@leitstand/contract/states/periods'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { periodAt, shifted, startBefore } from './period.ts'

const berlin = 'Europe/Berlin'
const ms = (text: string, zone = berlin) => DateTime.fromISO(text, { zone }).toMillis()
const local = (timeMs: number | null, zone = berlin) =>
  timeMs === null ? null : DateTime.fromMillis(timeMs, { zone }).toFormat('yyyy-MM-dd HH:mm Z')
const span = (count: number, unit: Span['unit']): Span => ({ count, unit })

describe('a period aligned to the clock', () => {
  it.each([
    [span(15, 'minute'), '2026-11-25T13:37', '2026-11-25 13:30 +1', '2026-11-25 13:45 +1'],
    [span(1, 'hour'), '2026-11-25T13:37', '2026-11-25 13:00 +1', '2026-11-25 14:00 +1'],
    [span(6, 'hour'), '2026-11-25T13:37', '2026-11-25 12:00 +1', '2026-11-25 18:00 +1'],
    [span(24, 'hour'), '2026-11-25T13:37', '2026-11-25 00:00 +1', '2026-11-26 00:00 +1'],
    [span(7, 'day'), '2026-11-25T13:37', '2026-11-23 00:00 +1', '2026-11-30 00:00 +1'],
    [span(1, 'month'), '2026-11-25T13:37', '2026-11-01 00:00 +1', '2026-12-01 00:00 +1'],
    [span(3, 'month'), '2026-11-25T13:37', '2026-10-01 00:00 +2', '2027-01-01 00:00 +1'],
    [span(6, 'month'), '2026-06-30T23:59', '2026-01-01 00:00 +1', '2026-07-01 00:00 +2'],
    [span(1, 'year'), '2026-11-25T13:37', '2026-01-01 00:00 +1', '2027-01-01 00:00 +1'],
    // Begins again at midnight, because it does not divide a day.
    [span(7, 'hour'), '2026-11-25T22:00', '2026-11-25 21:00 +1', '2026-11-26 00:00 +1'],
    // A day of 23 hours and one of 25.
    [span(1, 'day'), '2026-03-29T12:00', '2026-03-29 00:00 +1', '2026-03-30 00:00 +2'],
    [span(1, 'day'), '2026-10-25T12:00', '2026-10-25 00:00 +2', '2026-10-26 00:00 +1'],
    // The clocks skip its start.
    [span(2, 'hour'), '2026-03-29T03:30', '2026-03-29 03:00 +2', '2026-03-29 04:00 +2'],
  ] as const)('%j at %s', (length, at, from, end) => {
    const found = periodAt(length, true, ms(at), berlin)
    expect([local(found.fromMs), local(found.endMs)]).toEqual([from, end])
  })

  it.each([
    // Where midnight comes twice the day begins with the first one, where it is skipped at one o'clock.
    ['2026-11-01T12:00', '2026-11-01 00:00 -4', '2026-11-02 00:00 -5'],
    ['2026-10-31T12:00', '2026-10-31 00:00 -4', '2026-11-01 00:00 -4'],
    ['2026-03-08T12:00', '2026-03-08 01:00 -4', '2026-03-09 00:00 -4'],
    ['2026-03-07T12:00', '2026-03-07 00:00 -5', '2026-03-08 01:00 -4'],
  ])('of a day in Havana at %s', (at, from, end) => {
    const havana = 'America/Havana'
    const found = periodAt(span(1, 'day'), true, ms(at, havana), havana)
    expect([local(found.fromMs, havana), local(found.endMs, havana)]).toEqual([from, end])
  })

  it('gives each of two hours with the same name its own', () => {
    const first = Date.UTC(2026, 9, 25, 0, 20)
    for (const time of [first, first + 3_600_000])
      expect(periodAt(span(1, 'hour'), true, time, berlin)).toEqual({
        fromMs: time - 20 * 60_000,
        endMs: time + 40 * 60_000,
      })
  })

  it('of a quarter in the second of two hours with the same name ends there, not in the first', () => {
    const time = Date.UTC(2026, 9, 25, 1, 20)
    expect(periodAt(span(15, 'minute'), true, time, berlin)).toEqual({
      fromMs: Date.UTC(2026, 9, 25, 1, 15),
      endMs: Date.UTC(2026, 9, 25, 1, 30),
    })
  })

  it('contains its time, follows the one before without a gap, and ends later', () => {
    const anySpan = fc.record({
      count: fc.integer({ min: 1, max: 40 }),
      unit: fc.constantFrom('minute', 'hour', 'day', 'week', 'month', 'year'),
    }) as fc.Arbitrary<Span>
    const anyTime = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) })
    const anyZone = fc.constantFrom('UTC', berlin, 'America/Havana', 'Asia/Kathmandu', 'Australia/Lord_Howe')
    fc.assert(
      fc.property(anySpan, anyTime, anyZone, (length, time, zone) => {
        const { fromMs, endMs } = periodAt(length, true, time, zone)
        const again = periodAt(length, true, fromMs, zone)
        return (
          fromMs <= time &&
          (endMs as number) > time &&
          again.fromMs === fromMs &&
          periodAt(length, true, fromMs - 1, zone).endMs === fromMs &&
          startBefore(length, true, fromMs, zone) < fromMs
        )
      }),
    )
  })
})

describe('a period back from now', () => {
  it.each([
    [span(1, 'hour'), '2026-11-25T13:00', '2026-11-25 12:00 +1'],
    [span(24, 'hour'), '2026-03-29T13:00', '2026-03-28 12:00 +1'],
    [span(1, 'day'), '2026-03-29T13:00', '2026-03-28 13:00 +1'],
    [span(2, 'week'), '2026-04-02T13:00', '2026-03-19 13:00 +1'],
    [span(1, 'month'), '2026-03-31T13:00', '2026-02-28 13:00 +1'],
    [span(1, 'year'), '2026-11-25T13:00', '2025-11-25 13:00 +1'],
  ] as const)('%j at %s', (length, at, from) => {
    const found = periodAt(length, false, ms(at), berlin)
    expect([local(found.fromMs), found.endMs]).toEqual([from, null])
  })

  it('has one of the same length before it', () => {
    const { fromMs } = periodAt(span(2, 'day'), false, ms('2026-11-25T13:00'), berlin)
    expect(local(startBefore(span(2, 'day'), false, fromMs, berlin))).toBe('2026-11-21 13:00 +1')
    expect(shifted(fromMs, span(2, 'day'), 1, berlin)).toBe(ms('2026-11-25T13:00'))
  })
})
