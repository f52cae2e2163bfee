import { expect, test } from 'vitest'
import { simulatedDevice } from '../load/uplinks.ts'
import { type ChaosDevice, type Entry, nextUplink, warmStretches } from './uplinks.ts'

const device = (isWatched: boolean): ChaosDevice => ({
  ...simulatedDevice(1),
  id: 1,
  connector: 0,
  isWatched,
  count: 0,
  warm: 0,
  late: 0,
})

function send(count: number, of: ChaosDevice): Entry[] {
  const nowMs = Date.parse('2026-11-20T12:00:00Z')
  return Array.from({ length: count }, (_, index) => nextUplink(of, index + 1, nowMs, nowMs).entry)
}

test('the first uplink is cool, and every warm one has a temperature of its own', () => {
  const entries = send(100, device(true))
  expect(entries[0]?.isWarm).toBe(false)
  const warm = entries.filter(({ isWarm }) => isWarm).map(({ temperature }) => temperature)
  expect(warm.length).toBeGreaterThan(30)
  expect(new Set(warm).size).toBe(warm.length)
  expect(Math.min(...warm)).toBeGreaterThan(30)
})

test('every uplink of a device has a time of its own; only of those without rules some are late', () => {
  for (const isWatched of [true, false]) {
    const times = send(100, device(isWatched)).map(({ timeMs }) => timeMs)
    expect(new Set(times).size).toBe(times.length)
    expect(times.toSorted((a, b) => a - b).join() === times.join()).toBe(isWatched)
  }
})

test('a body carries what the books say', () => {
  const { entry, body } = nextUplink(device(true), 70_000, 0, 0)
  const { uplink_message: uplink } = JSON.parse(body) as {
    uplink_message: { received_at: string; f_cnt: number }
  }
  expect(Date.parse(uplink.received_at)).toBe(entry.timeMs)
  expect(uplink.f_cnt).toBe(1)
})

test('an alarm opens with each stretch of warm uplinks', () => {
  const warm = (...places: number[]) => places.map((place) => ({ isWarm: place === 1 }))
  expect(warmStretches(warm())).toBe(0)
  expect(warmStretches(warm(0, 1, 1, 0, 1))).toBe(2)
  expect(warmStretches(warm(1, 0, 0))).toBe(1)
})
