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
})
