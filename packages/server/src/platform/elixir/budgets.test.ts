import { expect, it } from 'vitest'
import { Budgets } from './budgets.ts'

const limits = {
  cpu: { perSecond: 100, burst: 1_000 },
  crashes: { perSecond: 0.1, burst: 2 },
  accountsMax: 2,
  crashesMax: 2,
  quarantineMs: 1_000,
  crashedMax: 2,
}

it('lets an account rest that has used up its processor time, for as long as it takes to come back', () => {
  const budgets = new Budgets(limits)
  expect(budgets.restMs('a', 0)).toBe(0)
  budgets.spend('a', 999, 0)
  expect(budgets.restMs('a', 0)).toBe(0)
  budgets.spend('a', 501, 0)
  expect(budgets.restMs('a', 0)).toBe(5_010)
  expect(budgets.restMs('a', 5_010)).toBe(0)
  expect(budgets.restMs('b', 0)).toBe(0)
})

it('lets an account rest that took too many processes down', () => {
  const budgets = new Budgets(limits)
  budgets.crashed('a', 0)
  expect(budgets.restMs('a', 0)).toBe(0)
  budgets.crashed('a', 0)
  expect(budgets.restMs('a', 0)).toBe(10_000)
})

it('lets a parser rest that crashed repeatedly, for its account only, until it answers or some time has passed', () => {
  const budgets = new Budgets(limits)
  budgets.blame('a', 'p', 0)
  expect(budgets.isResting('a', 'p', 0)).toBe(false)
  budgets.blame('a', 'p', 0)
  expect(budgets.isResting('a', 'p', 999)).toBe(true)
  expect(budgets.isResting('a', 'p', 1_000)).toBe(false)
  expect(budgets.isResting('b', 'p', 0)).toBe(false)
  budgets.clear('a', 'p')
  expect(budgets.isResting('a', 'p', 0)).toBe(false)
})

it('remembers no more accounts than it may', () => {
  const budgets = new Budgets(limits)
  for (const key of ['a', 'b', 'c']) budgets.spend(key, 5_000, 0)
  expect(['a', 'b', 'c'].map((key) => budgets.restMs(key, 0) > 0)).toEqual([false, true, true])
})
