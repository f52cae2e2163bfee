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

it('an account is heavy once it used over a twentieth of its burst, until that is refilled', () => {
  const budgets = new Budgets(limits)
  expect(budgets.isHeavy('a', 0)).toBe(false)
  budgets.spend('a', 50, 0)
  expect(budgets.isHeavy('a', 0)).toBe(false)
  budgets.spend('a', 10, 0)
  expect(budgets.isHeavy('a', 0)).toBe(true)
  expect(budgets.isHeavy('b', 0)).toBe(false)
  expect(budgets.isHeavy('a', 99)).toBe(true)
  expect(budgets.isHeavy('a', 100)).toBe(false)
})

it('counts processor time and crashes separately; the longer rest applies', () => {
  const budgets = new Budgets(limits)
  budgets.crashed('a', 0)
  budgets.spend('a', 2_000, 0)
  budgets.crashed('a', 0)
  expect(budgets.restMs('a', 0)).toBe(10_010)
  expect(budgets.isHeavy('a', 0)).toBe(true)
})

it('forgets the least recently used account', () => {
  const budgets = new Budgets(limits)
  for (const key of ['a', 'b', 'a', 'c']) budgets.spend(key, 5_000, 0)
  expect(['a', 'b', 'c'].map((key) => budgets.restMs(key, 0) > 0)).toEqual([true, false, true])
})

it('tracks a limited number of parsers, and forgets the one whose crash is oldest', () => {
  const budgets = new Budgets(limits)
  for (const parser of ['p', 'q', 'p', 'q', 'p', 'r', 'r']) budgets.blame('a', parser, 0)
  expect(['p', 'q', 'r'].map((parser) => budgets.isResting('a', parser, 0))).toEqual([true, false, true])
})
