import { expect, it } from 'vitest'
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
