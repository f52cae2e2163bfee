import { expect, test } from 'vitest'
import { Subscribers, subscriberLimits } from './subscribers.ts'

test('an account has subscribers as long as one of its clients is there that ever followed something', () => {
  const subscribers = new Subscribers<{ account: string }>(({ account }) => account)
  const [one, other] = [{ account: 'city' }, { account: 'city' }]
  expect(subscribers.has('city')).toBe(false)
  for (const client of [one, other, one]) expect(subscribers.add(client, 'a/#')).toBe(true)
  subscribers.drop(one, ['a/#', 'never'])
  subscribers.forget(one)
  subscribers.forget(one)
  expect([subscribers.has('city'), subscribers.has('water')]).toEqual([true, false])
  subscribers.forget(other)
  expect(subscribers.has('city')).toBe(false)
})

test('a client follows as many filters as it may, and no longer ones', () => {
  const subscribers = new Subscribers<object>(() => 'city')
  const [client, other] = [{}, {}]
  for (let n = 0; n < subscriberLimits.filtersMax; n += 1)
    expect(subscribers.add(client, `f/${n}`)).toBe(true)
  expect(subscribers.add(client, 'f/more')).toBe(false)
  expect(subscribers.add(client, 'f/0'), 'one it has').toBe(true)
  expect(subscribers.add(other, 'f/more'), 'another client').toBe(true)
  expect(subscribers.add(other, 'x'.repeat(subscriberLimits.filterLengthMax + 1))).toBe(false)
  subscribers.drop(client, ['f/0'])
  expect([subscribers.add(client, 'f/more'), subscribers.add(client, 'f/0')]).toEqual([true, false])
})

test('a topic is heard by the account whose clients listen to it, as long as they do', () => {
  const subscribers = new Subscribers<{ account: string }>(({ account }) => account)
  const client = { account: 'press' }
  expect(subscribers.hears('press', 'fans/1/set')).toBe(false)
  subscribers.add(client, 'fans/+/set')
  expect(subscribers.hears('press', 'fans/1/set')).toBe(true)
  expect(subscribers.hears('press', 'fans/1/get')).toBe(false)
  expect(subscribers.hears('other', 'fans/1/set')).toBe(false)
  subscribers.drop(client, ['fans/+/set'])
  expect(subscribers.hears('press', 'fans/1/set')).toBe(false)
  subscribers.add(client, '#')
  subscribers.forget(client)
  expect(subscribers.hears('press', 'fans/1/set')).toBe(false)
})
