import { expect, test } from 'vitest'
import { Allowance } from './allowance.ts'

test('each key has its own, which comes back with time and can be overdrawn', () => {
  const allowance = new Allowance<string>({ perSecond: 10, burst: 100 })
  expect([allowance.left('a', 0), allowance.waitMs('a', 0)]).toEqual([100, 0])
  allowance.spend('a', 150, 0)
  expect([allowance.left('a', 0), allowance.left('b', 0)]).toEqual([-50, 100])
  expect(allowance.waitMs('a', 0)).toBe(5_100)
  expect(allowance.waitMs('a', 5_100)).toBe(0)
  expect(allowance.left('a', 60_000)).toBe(100)
})
