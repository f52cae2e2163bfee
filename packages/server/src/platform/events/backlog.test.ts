import { describe, expect, it } from 'vitest'
import { Backlog, type Batch, batchMax, type Item } from './backlog.ts'

let serial = 0
function itemOf(accountId: number, partition: string, unreadable: Item['unreadable'] = null): Item {
  const id = ++serial
  const raw = { id, xid: '1', topic: 't', version: 1, accountId, payload: {}, at: new Date(0), size: 10 }
  return { raw, event: null, unreadable, accountId, partition, bytes: 10, place: null, parkedId: null }
}

function backlogOf(sideBySide: number, ...items: Item[]): Backlog {
  const backlog = new Backlog(sideBySide)
  for (const item of items) backlog.add(item)
  return backlog
}

const many = (count: number, accountId: number, partition = 'p') =>
  Array.from({ length: count }, () => itemOf(accountId, partition))
const take = (backlog: Backlog, nowMs: number) => backlog.take(nowMs) as Batch

describe('a backlog', () => {
  it('gives a partition to one call at a time, others side by side', () => {
    const [a1, b1] = [itemOf(1, 'a'), itemOf(1, 'b')]
    const backlog = backlogOf(2, a1)
    const first = take(backlog, 0)
    const a2 = itemOf(1, 'a')
    backlog.add(a2)
    backlog.add(b1)
    const second = take(backlog, 0)
    expect(second.items).toEqual([b1])
    expect(backlog.take(0), 'no more calls than allowed').toBeUndefined()
    backlog.finish(first, 1, 1)
    expect(take(backlog, 1).items).toEqual([a2])
  })

  it('shares a call among accounts', () => {
    const backlog = backlogOf(1, ...many(1_000, 1), ...many(10, 2), ...many(1_000, 3))
    const counts = Map.groupBy(take(backlog, 0).items, ({ accountId }) => accountId)
    const share = Math.floor(batchMax / 3)
    expect([1, 2, 3].map((account) => counts.get(account)?.length)).toEqual([share, 10, share])
  })

  it('handles slow accounts apart from others, and never with all calls', () => {
    const backlog = backlogOf(2, ...many(1_000, 1), ...many(1_000, 2))
    const both = take(backlog, 0)
    expect(both.parts).toHaveLength(2)
    backlog.finish(both, 1_000, 1_000)
    const slow = take(backlog, 1_000)
    expect(slow.parts).toHaveLength(1)
    expect(backlog.take(1_000), 'the second call is kept free').toBeUndefined()
    for (const item of many(5, 3)) backlog.add(item)
    expect(take(backlog, 1_000).items.map(({ accountId }) => accountId)).toEqual([3, 3, 3, 3, 3])
  })

  it('gives partitions calls of their own, in turns, when they are to be kept apart', () => {
    const backlog = new Backlog(2, 2)
    for (const item of [...many(5, 1, 'a'), ...many(1, 1, 'b'), ...many(3, 1, 'c')]) backlog.add(item)
    const next = () => {
      const batch = take(backlog, 0)
      return { batch, text: batch.items.map(({ partition }) => partition).join('') }
    }
    const [first, second] = [next(), next()]
    expect([first.text, second.text]).toEqual(['aa', 'b'])
    expect(backlog.take(0), 'no more calls than allowed').toBeUndefined()
    backlog.finish(first.batch, 1, 1)
    const third = next()
    backlog.finish(second.batch, 1, 1)
    expect([third.text, next().text]).toEqual(['cc', 'aa'])
  })

  it('takes an account as quick again after a quick call of its own', () => {
    const backlog = backlogOf(1, ...many(2, 1))
    backlog.finish(take(backlog, 0), 1_000, 1_000)
    backlog.add(itemOf(1, 'p'))
    backlog.finish(take(backlog, 1_000), 1, 1_001)
    backlog.add(itemOf(1, 'p'))
    backlog.add(itemOf(2, 'p'))
    expect(take(backlog, 1_001).parts).toHaveLength(2)
  })

  it('tries partitions that failed together each alone, then one event after the other, and parks the culprit', () => {
    const [good, bad, after] = [itemOf(1, 'good'), itemOf(1, 'bad'), itemOf(1, 'bad')]
    const backlog = backlogOf(1, good, bad, after)
    let now = 0
    const handled: Item[] = []
    const parked: Item[] = []
    for (let calls = 0; calls < 30 && !backlog.isEmpty; calls++) {
      const batch = backlog.take(now)
      if (batch === undefined) {
        now = backlog.nextTryMs(now) as number
        continue
      }
      if (!batch.items.includes(bad)) {
        handled.push(...batch.items)
        backlog.finish(batch, 1, now)
      } else {
        const given = backlog.fail(batch, 1, now)
        if (given) parked.push(given.item)
      }
    }
    expect(handled).toEqual([good, after])
    expect(parked).toEqual([bad])
    expect(backlog.isEmpty).toBe(true)
  })

  it('never gives up what fails for a passing reason', () => {
    const only = itemOf(1, 'a')
    const backlog = backlogOf(1, only)
    let now = 0
    for (let calls = 0; calls < 100; calls++) {
      const batch = take(backlog, now)
      expect(batch.items).toEqual([only])
      backlog.retry(batch, 1, now)
      expect(backlog.take(now), 'not at once').toBeUndefined()
      now = backlog.nextTryMs(now) as number
    }
  })

  it('parks what cannot be read at once, and nothing beside it', () => {
    const [one, wrong, two] = [itemOf(1, ''), itemOf(1, '', { error: 'x' }), itemOf(1, '')]
    const backlog = backlogOf(1, one, wrong, two)
    const first = take(backlog, 0)
    expect(first.items).toEqual([one])
    backlog.finish(first, 1, 0)
    const second = take(backlog, 0)
    expect(second.items).toEqual([wrong])
    expect(backlog.fail(second, 1, 0)).toEqual({ item: wrong, attempts: 1 })
    expect(take(backlog, 0).items).toEqual([two])
  })

  it('counts what is not handled, in calls too, by account', () => {
    const backlog = backlogOf(2, ...many(3, 1), ...many(2, 2))
    expect([backlog.size, backlog.countOf(1), backlog.countOf(2), backlog.countOf(3)]).toEqual([5, 3, 2, 0])
    const batch = take(backlog, 0)
    expect(backlog.size).toBe(5)
    backlog.add(itemOf(1, 'q'))
    backlog.finish(batch, 1, 1)
    expect([backlog.size, backlog.countOf(1), backlog.countOf(2)]).toEqual([1, 1, 0])
    backlog.finish(take(backlog, 1), 1, 1)
    expect([backlog.size, backlog.isEmpty]).toEqual([0, true])
  })

  it('knows its oldest event, in a call or not', () => {
    const aged = (partition: string, ms: number) => {
      const item = itemOf(1, partition)
      return { ...item, raw: { ...item.raw, at: new Date(ms) } }
    }
    const backlog = backlogOf(1, aged('a', 1_000), aged('a', 3_000), { ...aged('b', 1), parkedId: 7 })
    expect(backlog.oldestMs).toBe(1_000)
    const batch = take(backlog, 0)
    backlog.add(aged('c', 2_000))
    expect(backlog.oldestMs, 'in a call').toBe(1_000)
    backlog.finish(batch, 1, 1)
    expect(backlog.oldestMs).toBe(2_000)
    backlog.finish(take(backlog, 1), 1, 1)
    expect(backlog.oldestMs).toBeNull()
  })

  it('counts one less when an event is parked', () => {
    const backlog = backlogOf(1, itemOf(1, 'a', { error: 'x' }), itemOf(1, 'a'))
    backlog.fail(take(backlog, 0), 1, 0)
    expect(backlog.countOf(1)).toBe(1)
  })

  it('knows parked events until their retry is forgotten', () => {
    const backlog = backlogOf(1, { ...itemOf(1, 'a'), parkedId: 7 })
    expect([backlog.hasParked(7), backlog.hasParked(8)]).toEqual([true, false])
    backlog.forgetParked(7)
    expect(backlog.hasParked(7)).toBe(false)
  })

  it('fills a call up to its number of events and its bytes, but always with one event', () => {
    const backlog = backlogOf(1, ...many(batchMax + 1, 1))
    const first = take(backlog, 0)
    expect(first.items).toHaveLength(batchMax)
    backlog.finish(first, 1, 0)
    expect(take(backlog, 0).items).toHaveLength(1)

    const large = (bytes: number, partition = 'p') => ({ ...itemOf(1, partition), bytes })
    const half = backlogOf(1, large(1_000_000), large(1_000_000), large(1))
    expect(take(half, 0).items).toHaveLength(2)
    const beyond = backlogOf(1, large(1_000_001), large(1_000_000))
    expect(take(beyond, 0).items).toHaveLength(1)
    const huge = backlogOf(1, large(3_000_000), large(1), large(1, 'q'))
    expect(take(huge, 0).items).toHaveLength(1)
  })

  it('serves the account first whose calls took the least time', () => {
    const backlog = backlogOf(1, ...many(2, 1))
    const first = take(backlog, 0)
    backlog.add(itemOf(2, 'p'))
    backlog.add(itemOf(1, 'q'))
    backlog.finish(first, 200, 0)
    expect(take(backlog, 0).items.map(({ accountId }) => accountId)).toEqual([2, 1])
  })

  it('shares the time of a call by the number of events', () => {
    const backlog = backlogOf(1, ...many(3, 1), ...many(1, 2))
    const first = take(backlog, 0)
    backlog.add(itemOf(1, 'q'))
    backlog.add(itemOf(2, 'q'))
    backlog.finish(first, 200, 0)
    const second = take(backlog, 0)
    expect(second.items.map(({ accountId }) => accountId)).toEqual([2, 1])
  })

  it('is slow only beyond a quarter of a second, for a minute', () => {
    const afterCall = (tookMs: number, nowMs: number) => {
      const backlog = backlogOf(1, ...many(1, 1))
      const first = take(backlog, 0)
      for (const account of [1, 2]) backlog.add(itemOf(account, 'q'))
      backlog.finish(first, tookMs, 0)
      return take(backlog, nowMs).parts.length
    }
    expect(afterCall(250, 0)).toBe(2)
    expect(afterCall(251, 0)).toBe(1)
    expect(afterCall(251, 59_999)).toBe(1)
    expect(afterCall(251, 60_000)).toBe(2)
  })

  it('waits longer after each failure: several events five times, then three times each', () => {
    const backlog = backlogOf(1, ...many(2, 1))
    const calls: [number, number][] = []
    let now = 0
    while (!backlog.isEmpty) {
      const batch = backlog.take(now)
      if (batch === undefined) {
        expect(backlog.take((backlog.nextTryMs(now) as number) - 1)).toBeUndefined()
        now = backlog.nextTryMs(now) as number
        continue
      }
      calls.push([now, batch.size])
      backlog.fail(batch, 1, now)
    }
    expect(calls).toEqual([
      [0, 2],
      [100, 2],
      [300, 2],
      [700, 2],
      [1500, 2],
      [3100, 1],
      [3200, 1],
      [3400, 1],
      [3400, 1],
      [3500, 1],
      [3700, 1],
    ])
  })

  it('returns to several events when those that failed together have been handled', () => {
    const backlog = backlogOf(1, ...many(3, 1))
    let now = 0
    for (let calls = 0; calls < 5; calls++) {
      backlog.fail(take(backlog, now), 1, now)
      now = backlog.nextTryMs(now) as number
    }
    for (const item of many(4, 1)) backlog.add(item)
    backlog.add(itemOf(2, 'p'))
    const sizes: number[] = []
    for (let calls = 0; calls < 5; calls++) {
      const batch = take(backlog, now)
      sizes.push(batch.size)
      backlog.finish(batch, 1, now)
    }
    expect(sizes.toSorted()).toEqual([1, 1, 1, 1, 4])
    expect(backlog.isEmpty).toBe(true)
  })

  it('names the earliest of several retries, and none when nothing waits', () => {
    const backlog = backlogOf(2, itemOf(1, 'a'))
    const first = take(backlog, 0)
    backlog.add(itemOf(1, 'b'))
    const second = take(backlog, 0)
    expect(backlog.nextTryMs(0)).toBeNull()
    backlog.fail(first, 1, 50)
    backlog.fail(second, 1, 0)
    expect(backlog.nextTryMs(0)).toBe(100)
    expect(backlog.nextTryMs(100)).toBe(150)
    expect(backlog.nextTryMs(150)).toBeNull()
  })
})
