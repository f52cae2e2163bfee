import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Throttle } from './throttle.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function counting(intervalMs: number) {
  const calls: number[] = []
  const throttle = new Throttle(intervalMs, () => calls.push(performance.now() - start))
  const start = performance.now()
  return { calls, throttle }
}

test('the first call is made at once, those of the interval together when it is over', () => {
  const { calls, throttle } = counting(40)
  throttle.call()
  vi.advanceTimersByTime(10)
  for (let each = 0; each < 5; each++) throttle.call()
  vi.advanceTimersByTime(200)
  throttle.call()
  expect(calls).toEqual([0, 40, 210])
})

test('a call without waiting serves those that wait, and begins an interval', () => {
  const { calls, throttle } = counting(40)
  throttle.call()
  throttle.call()
  vi.advanceTimersByTime(10)
  throttle.now()
  throttle.call()
  vi.advanceTimersByTime(100)
  expect(calls).toEqual([0, 10, 50])
})

test('a stopped one forgets the calls that wait', () => {
  const { calls, throttle } = counting(40)
  throttle.call()
  throttle.call()
  throttle.stop()
  vi.advanceTimersByTime(100)
  expect(calls).toEqual([0])
})
