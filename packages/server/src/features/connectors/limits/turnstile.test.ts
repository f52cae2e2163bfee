import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Turnstile, turnstileLimits } from './turnstile.ts'

const { burstSeconds } = turnstileLimits

/** A turnstile with a line of named messages; `passed` in the order they were admitted. */
function lined(account: number | null, connectors: Record<number, number> = {}) {
  const turnstile = new Turnstile(
    () => account,
    (id) => connectors[id] ?? null,
  )
  const passed: string[] = []
  const turnedAway: string[] = []
  const gone = new Set<string>()
  const queue = (connectorId: number, name: string) =>
    turnstile.queue(
      connectorId,
      { admit: () => passed.push(name), turnAway: () => turnedAway.push(name), isGone: () => gone.has(name) },
      0,
    )
  const exhaust = (connectorId: number, nowMs = 0) => {
    let count = 0
    while (turnstile.tryPass(connectorId, nowMs) === null) count++
    return count
  }
  return { turnstile, passed, turnedAway, gone, queue, exhaust }
}

test('the limit that is reached is named, with its value and how long it takes', () => {
  const connector = lined(1000, { 1: 2 })
  expect(connector.exhaust(1)).toBe(2 * burstSeconds)
  expect(connector.turnstile.tryPass(1, 0)).toEqual({
    limit: 'connector.messagesPerSecond',
    value: 2,
    waitMs: 500,
  })
  expect(connector.turnstile.tryPass(2, 0)).toBeNull()
  const account = lined(4, { 1: 1000 })
  expect(account.exhaust(1) + account.exhaust(2)).toBe(4 * burstSeconds)
  expect(account.turnstile.tryPass(2, 0)).toEqual({
    limit: 'account.messagesPerSecond',
    value: 4,
    waitMs: 250,
  })
})

test('connectors in line for their account take turns, each first come first served', () => {
  const { turnstile, passed, queue, exhaust } = lined(1)
  exhaust(1)
  for (const name of ['a1', 'a2', 'a3']) queue(1, name)
  queue(2, 'b1')
  expect(turnstile.admitDue(0)).toBe(1000)
  expect(turnstile.admitDue(3000)).toBe(1000)
  expect(passed).toEqual(['a1', 'b1', 'a2'])
  expect(turnstile.admitDue(4000)).toBeNull()
  expect(passed).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('a connector at its own limit holds up no other', () => {
  const { turnstile, passed, queue, exhaust } = lined(100, { 1: 1 })
  exhaust(1)
  queue(1, 'slow')
  queue(2, 'other')
  expect(turnstile.admitDue(0)).toBe(1000)
  expect(passed).toEqual(['other'])
})

test('who asks all the time leaves every second turn to those in line', () => {
  const { turnstile, passed, queue, exhaust } = lined(1)
  exhaust(2)
  for (const name of ['a1', 'a2']) queue(1, name)
  expect(turnstile.tryPass(2, 1000)).toBeNull()
  expect(turnstile.tryPass(2, 2000)).toMatchObject({ limit: 'account.messagesPerSecond' })
  turnstile.admitDue(2000)
  expect(passed).toEqual(['a1'])
  expect(turnstile.tryPass(2, 3000)).toBeNull()
})

test('whose connection is gone is turned away and spends nothing', () => {
  const { turnstile, passed, turnedAway, gone, queue, exhaust } = lined(1)
  exhaust(1)
  for (const name of ['a1', 'a2', 'a3']) queue(1, name)
  gone.add('a1')
  gone.add('a3')
  expect(turnstile.admitDue(1000)).toBeNull()
  expect([passed, turnedAway]).toEqual([['a2'], ['a1', 'a3']])
  queue(1, 'a4')
  turnstile.turnAwayAll()
  expect(turnedAway).toEqual(['a1', 'a3', 'a4'])
})

test('a line has a bound', () => {
  const { queue } = lined(1)
  for (let n = 0; n < turnstileLimits.waitingMax; n++) queue(1, String(n))
  expect(queue(1, 'one more')).toBe(false)
})

test('what was carried beyond one message is paid for afterwards', () => {
  const { turnstile } = lined(10)
  turnstile.charge(1, 60, 0)
  expect(turnstile.tryPass(1, 0)).toMatchObject({ waitMs: 1100 })
  expect(turnstile.tryPass(1, 1100)).toBeNull()
})

test('after a pause nothing is remembered', () => {
  const { turnstile, exhaust } = lined(10, { 1: 5 })
  exhaust(1)
  expect(turnstile.tidy(1000)).toBe(false)
  expect(turnstile.tidy(1000 * burstSeconds)).toBe(true)
})

test('who meets a line of the own connector waits behind it', () => {
  const own = lined(null, { 1: 4 })
  own.exhaust(1)
  own.queue(1, 'a1')
  expect(own.turnstile.tryPass(1, 10_000)).toEqual({
    limit: 'connector.messagesPerSecond',
    value: 4,
    waitMs: 250,
  })
  const common = lined(4)
  common.exhaust(1)
  common.queue(1, 'a1')
  expect(common.turnstile.tryPass(1, 10_000)).toEqual({
    limit: 'account.messagesPerSecond',
    value: 4,
    waitMs: 250,
  })
  expect(common.turnstile.tryPass(2, 10_000)).toBeNull()
})

test('who skips the line owes nothing while those in line wait for their own connector', () => {
  const { turnstile, queue, exhaust } = lined(1, { 1: 0.001 })
  exhaust(1)
  queue(1, 'slow')
  expect(turnstile.tryPass(2, 10_000)).toBeNull()
  expect(turnstile.tryPass(2, 10_000)).toBeNull()
})

test('the longer of two waits is named; of equal ones, that of the connector', () => {
  const reached = (account: number, own: number) => {
    const { turnstile } = lined(account, { 1: own })
    turnstile.charge(1, 100, 0)
    return turnstile.tryPass(1, 0)?.limit
  }
  expect(reached(1, 2)).toBe('account.messagesPerSecond')
  expect(reached(2, 1)).toBe('connector.messagesPerSecond')
  expect(reached(2, 2)).toBe('connector.messagesPerSecond')
})

test('without limits everything passes, and nothing is remembered', () => {
  const { turnstile, queue, passed } = lined(null)
  for (let n = 0; n < 1000; n++) expect(turnstile.tryPass(1, 0)).toBeNull()
  queue(1, 'a1')
  expect(turnstile.tidy(0)).toBe(false)
  expect(turnstile.admitDue(0)).toBeNull()
  expect(passed).toEqual(['a1'])
  expect(turnstile.tidy(0)).toBe(true)
})

test('a bucket is dropped when it is full again, one after the other', () => {
  const { turnstile } = lined(10, { 1: 1 })
  turnstile.charge(1, 5, 0)
  expect(turnstile.tidy(500)).toBe(false)
  expect(turnstile.tidy(4999)).toBe(false)
  expect(turnstile.tidy(5000)).toBe(true)
  const common = lined(1)
  common.turnstile.charge(1, 5, 0)
  expect(common.turnstile.tidy(4999)).toBe(false)
  expect(common.turnstile.tidy(5000)).toBe(true)
})

test('everybody in line is admitted once, and never more than the limits give', () => {
  const senders = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 300 })
  const limit = fc.integer({ min: 1, max: 50 })
  fc.assert(
    fc.property(senders, limit, limit, (ids, account, own) => {
      const { turnstile, passed, queue } = lined(account, { 1: own })
      const ofFirst = () => passed.filter((name) => name.startsWith('1 ')).length
      for (const [index, id] of ids.entries()) queue(id, `${id} ${index}`)
      let now = 0
      for (let next = turnstile.admitDue(now); next !== null; next = turnstile.admitDue(now)) {
        now += next
        expect(passed.length).toBeLessThanOrEqual(account * (burstSeconds + now / 1000) + 1e-6)
        expect(ofFirst()).toBeLessThanOrEqual(own * (burstSeconds + now / 1000) + 1e-6)
      }
      expect(new Set(passed).size).toBe(ids.length)
      expect(passed.length).toBe(ids.length)
    }),
  )
})

test('what passes elsewhere counts, and is not told again', () => {
  const [here, there] = [1, 2].map(
    () =>
      new Turnstile(
        () => 2,
        () => null,
        true,
      ),
  ) as [Turnstile, Turnstile]
  for (let count = 0; count < 2 * burstSeconds - 1; count++) expect(here.tryPass(7, 0)).toBeNull()
  const spent = here.takeSpent()
  expect(spent).toEqual([[7, 2 * burstSeconds - 1]])
  for (const [connectorId, count] of spent) there.chargeElsewhere(connectorId, count, 0)
  expect(there.tryPass(7, 0)).toBeNull()
  expect(there.tryPass(7, 0)).toMatchObject({ limit: 'account.messagesPerSecond' })
  expect(there.takeSpent()).toEqual([[7, 1]])
  expect([here.takeSpent(), there.takeSpent()]).toEqual([[], []])
})
