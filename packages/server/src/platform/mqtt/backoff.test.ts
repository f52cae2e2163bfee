import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

test('doubles to a minute and is spread over the upper half', () => {
  expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, 0))).toEqual([500, 1000, 2000, 4000])
  expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, 0.5))).toEqual([750, 1500, 3000, 6000])
  expect(backoffMs(6, 0.999)).toBeLessThanOrEqual(60_000)
  expect(backoffMs(1e9, 0)).toBe(30_000)
})
