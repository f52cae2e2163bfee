import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alarmDurationMs, durationText } from './duration.ts'

const plain = (ms: number) => durationText(ms).replaceAll('\u202f', ' ')

it.each([
  [0, '0 s'],
  [8_400, '8 s'],
  [725_000, '12 min 5 s'],
  [3_600_000, '1 h 0 min'],
  [273_600_000, '3 d 4 h'],
])('%d ms is %s', (ms, text) => expect(plain(ms)).toBe(text))

it('counts open alarms until now, and never below zero', () => {
  const raisedAt = '2026-11-20T08:00:00.000Z'
  const atMs = Date.parse(raisedAt)
  expect(alarmDurationMs({ raisedAt, resolvedAt: null }, atMs + 5000)).toBe(5000)
  expect(alarmDurationMs({ raisedAt, resolvedAt: '2026-11-20T08:00:02.000Z' }, atMs + 5000)).toBe(2000)
  expect(alarmDurationMs({ raisedAt, resolvedAt: null }, atMs - 5000)).toBe(0)
})

describe('any duration', () => {
  const unitMs: Record<string, number> = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 }
  const lengthOf = (text: string) =>
    text.split(' ').reduce((sum, part) => {
      const [amount = '', unit = ''] = part.split('\u202f')
      return sum + Number(amount) * (unitMs[unit] ?? Number.NaN)
    }, 0)

  it('is shown within the smaller of its two units', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), (ms) => {
        const text = durationText(ms)
        const smallest = unitMs[text.split('\u202f').at(-1) ?? ''] ?? Number.NaN
        expect(Math.abs(lengthOf(text) - ms)).toBeLessThanOrEqual(smallest)
        expect(text.split(' ').length).toBeLessThanOrEqual(2)
      }),
    )
  })

  it.each([
    [499, '0 s'],
    [500, '1 s'],
    [59_499, '59 s'],
    [59_500, '1 min 0 s'],
    [3_599_600, '1 h 0 min'],
    [86_399_999, '1 d 0 h'],
    [86_400_000 * 365, '365 d 0 h'],
    [-5, '0 s'],
  ])('%d ms is %s', (ms, text) => expect(plain(ms)).toBe(text))
})
