import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairQueue, type FairQueueLimits, QueueFull } from './fairQueue.ts'

const wide = { items: 1000, bytes: 1_000_000 }
const limits: FairQueueLimits = {
  batchMax: 4,
  batchBytesMax: 1000,
  besideQuietMax: 4,
  lane: wide,
  group: wide,
  all: wide,
  reserved: { items: 1, bytes: 1000 },
  aheadMin: 2,
  gathering: { factor: 0, maxMs: 0, besideOthersMs: 0, enough: 1, gapMs: 0 },
}

/** A queue whose steps end when the test decides. */
function slowQueue(own: Partial<FairQueueLimits> = {}) {
  const begun: { step: 'prepare' | 'store'; items: string[]; end(error?: Error): void }[] = []
  const wakers = new Set<() => void>()
  const step = (name: 'prepare' | 'store', items: string[]) =>
    new Promise<void>((resolve, reject) => {
      begun.push({ step: name, items, end: (error) => (error ? reject(error) : resolve()) })
      for (const wake of wakers) wake()
    })
  const queue = new FairQueue<string, string[], string>(
    { ...limits, ...own },
    {
      prepare: async (items) => {
        await step('prepare', items)
        return { prepared: items }
      },
      store: async (prepared) => {
        await step('store', prepared)
        return prepared.map((item) => `stored ${item}`)
      },
    },
  )
  const nth = async (count: number) => {
    while (begun.length < count) await new Promise<void>((resolve) => wakers.add(resolve))
    return begun[count - 1] as (typeof begun)[number]
  }
  const push = (group: number, lane: number, item: string, bytes = 1) =>
    queue.push({ group, lane, bytes }, item)
  return { queue, begun, nth, push }
}

describe('FairQueue', () => {
  test('an item that is late goes to the queue named for it, and the rest of the batch is stored', async () => {
    const other = new FairQueue<string, string[], string>(limits, {
      prepare: async (items) => ({ prepared: items }),
      store: async (items) => items.map((item) => `elsewhere ${item}`),
    })
    const queue = new FairQueue<string, string[], string>(limits, {
      prepare: async (items) => ({
        prepared: items.filter((item) => item !== 'late'),
        late: new Map([['late', other]]),
      }),
      store: async (items) => items.map((item) => `stored ${item}`),
    })
    const place = { group: 1, lane: 1, bytes: 1 }
    const answers = ['a', 'late', 'b'].map((item) => queue.push(place, item))
    expect(await Promise.all(answers)).toEqual(['stored a', 'elsewhere late', 'stored b'])
  })

  test('what waits of the group of a late item follows it, and nothing else does', async () => {
    const order: string[] = []
    const steps = (name: string) => ({
      prepare: async (items: string[]) => ({ prepared: items }),
      store: async (items: string[]) => {
        order.push(...items.map((item) => `${name} ${item}`))
        return items
      },
    })
    const other = new FairQueue<string, string[], string>(limits, steps('other'))
    const queue = new FairQueue<string, string[], string>(
      { ...limits, batchMax: 2 },
      {
        ...steps('shared'),
        prepare: async (items) => {
          await new Promise((resolve) => setImmediate(resolve))
          return {
            prepared: items.filter((item) => item !== 'late'),
            late: new Map(items.filter((item) => item === 'late').map((item) => [item, other])),
          }
        },
      },
    )
    const push = (group: number, item: string) => queue.push({ group, lane: group, bytes: 1 }, item)
    const all = [push(1, 'late')]
    // It is being prepared, and nothing else of its group is here.
    await new Promise((resolve) => setImmediate(resolve))
    all.push(...['a', 'b', 'c'].map((item) => push(1, item)))
    all.push(push(2, 'x'), push(2, 'y'))
    expect([queue.holdsUnprepared(1), queue.holds(1), other.holds(1)]).toEqual([true, true, false])
    await Promise.all(all)
    const of = (name: string) => order.filter((line) => line.startsWith(name))
    expect(of('other')).toEqual(['other late', 'other a', 'other b', 'other c'])
    expect(of('shared')).toEqual(['shared x', 'shared y'])
    await Promise.all([queue.drain(), other.drain()])
    expect([queue.holds(1), queue.holds(2), other.holds(1)]).toEqual([false, false, false])
    expect([queue.waiting, queue.waitingBytes, other.waitingBytes]).toEqual([0, 0, 0])
  })

  test('while a batch is stored the next is prepared, and each push gets its own result', async () => {
    const { nth, push, begun, queue } = slowQueue()
    const first = [push(1, 1, 'a'), push(1, 1, 'b')]
    const one = await nth(1)
    expect(one).toMatchObject({ step: 'prepare', items: ['a', 'b'] })
    one.end()
    const two = await nth(2)
    expect(two).toMatchObject({ step: 'store', items: ['a', 'b'] })
    const second = [push(1, 1, 'c'), push(1, 1, 'd')]
    const three = await nth(3)
    expect(three).toMatchObject({ step: 'prepare', items: ['c', 'd'] })
    three.end()
    const third = push(1, 1, 'e')
    expect(begun).toHaveLength(3)
    two.end()
    expect(await Promise.all(first)).toEqual(['stored a', 'stored b'])
    const four = await nth(4)
    expect(four).toMatchObject({ step: 'store', items: ['c', 'd'] })
    four.end()
    expect(await Promise.all(second)).toEqual(['stored c', 'stored d'])
    ;(await nth(5)).end()
    ;(await nth(6)).end()
    expect(await third).toBe('stored e')
    await queue.drain()
  })

  test('under load a batch waits for more items until it has enough', async () => {
    const hour = 3_600_000
    const patient = { factor: hour, maxMs: hour, besideOthersMs: hour, enough: 3, gapMs: hour }
    const { nth, push, begun, queue } = slowQueue({ gathering: patient })
    const first = push(1, 1, 'a')
    ;(await nth(1)).end()
    ;(await nth(2)).end()
    await first
    const later = [push(1, 1, 'b'), push(1, 1, 'c')]
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toHaveLength(2)
    later.push(push(1, 1, 'd'))
    const third = await nth(3)
    expect(third.items).toEqual(['b', 'c', 'd'])
    third.end()
    ;(await nth(4)).end()
    await Promise.all([...later, queue.drain()])
  })

  test('beside somebody with few items batches are small, until nobody has few any more', async () => {
    const { nth, push } = slowQueue({ batchMax: 50, besideQuietMax: 3 })
    const many = Array.from({ length: 500 }, (_, index) => `a${index}`)
    for (const item of many) void push(1, 1, item)
    void push(2, 2, 'q')
    const first = await nth(1)
    expect(first.items).toEqual(['a0', 'q', 'a1'])
    first.end()
    let [batches, latest] = [1, first.items]
    for (let step = 2; latest.length < 50; step++) {
      const { step: name, items, end } = await nth(step)
      if (name === 'prepare') [batches, latest] = [batches + 1, items]
      end()
    }
    expect(batches).toBe(101)
    expect(latest[0]).toBe('a299')
  })

  test('accounts that all have many share large batches', async () => {
    const { nth, push } = slowQueue({ batchMax: 6, besideQuietMax: 2 })
    for (const item of ['a1', 'a2', 'a3', 'a4']) void push(1, 1, item)
    for (const item of ['b1', 'b2', 'b3', 'b4']) void push(2, 2, item)
    expect((await nth(1)).items).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
  })

  test('groups take turns, and the lanes of each', async () => {
    const { nth, push } = slowQueue({ batchMax: 6 })
    for (const item of ['a1', 'a2', 'a3', 'a4']) void push(1, 1, item)
    for (const item of ['b1', 'b2']) void push(1, 2, item)
    for (const item of ['c1', 'c2', 'c3']) void push(2, 3, item)
    expect((await nth(1)).items).toEqual(['a1', 'c1', 'b1', 'c2', 'a2', 'c3'])
  })

  test('bytes end a batch as well', async () => {
    const { nth, push } = slowQueue()
    void push(1, 1, 'large', 900)
    void push(1, 1, 'second', 200)
    void push(1, 1, 'third', 1)
    expect((await nth(1)).items).toEqual(['large', 'second'])
  })

  test('a step that fails fails its batch and nothing else', async () => {
    const { nth, push } = slowQueue()
    const first = push(1, 1, 'a')
    ;(await nth(1)).end(new Error('no sandbox'))
    await expect(first).rejects.toThrow('no sandbox')
    const second = push(1, 1, 'b')
    ;(await nth(2)).end()
    ;(await nth(3)).end(new Error('no database'))
    await expect(second).rejects.toThrow('no database')
    const third = push(1, 1, 'c')
    ;(await nth(4)).end()
    ;(await nth(5)).end()
    expect(await third).toBe('stored c')
  })

  test('a full lane keeps nobody else out; who waits is let in in turn', async () => {
    const { queue, nth, push } = slowQueue({ lane: { items: 3, bytes: 1000 } })
    const stored = ['a', 'b', 'c'].map((item) => push(1, 1, item))
    expect(queue.hasRoom({ group: 1, lane: 1 })).toBe(false)
    expect(queue.hasRoom({ group: 1, lane: 2 })).toBe(true)
    const let_in: string[] = []
    const waiting = ['d', 'e'].map(async (item) => {
      await queue.room({ group: 1, lane: 1 })
      let_in.push(item)
      return push(1, 1, item)
    })
    ;(await nth(1)).end()
    ;(await nth(2)).end()
    await Promise.all(stored)
    ;(await nth(3)).end()
    ;(await nth(4)).end()
    expect(await Promise.all(waiting)).toEqual(['stored d', 'stored e'])
    expect(let_in).toEqual(['d', 'e'])
  })

  test('a connector of a full account has room for a few, and so has an account where everything is full', () => {
    const { queue, push } = slowQueue({
      group: { items: 4, bytes: 1000 },
      all: { items: 8, bytes: 1000 },
      reserved: { items: 2, bytes: 1000 },
    })
    const has = (group: number, lane: number) => queue.hasRoom({ group, lane })
    for (const item of ['a', 'b', 'c', 'd']) void push(1, 1, item)
    expect([has(1, 1), has(1, 2), has(2, 3)]).toEqual([false, true, true])
    for (const item of ['e', 'f']) void push(1, 2, item)
    expect(has(1, 2)).toBe(false)
    for (const item of ['g', 'h']) void push(2, 3, item)
    expect([has(1, 4), has(2, 3), has(3, 5)]).toEqual([false, false, true])
    for (const item of ['i', 'j']) void push(3, 5, item)
    expect([has(3, 5), has(4, 6)]).toEqual([false, true])
    for (const group of [4, 5, 6, 7, 8, 9]) void push(group, group, 'k')
    expect(has(10, 10)).toBe(false)
  })

  test('who was let in and hands in nothing holds up nobody', async () => {
    const { queue, nth, push } = slowQueue({ lane: { items: 1, bytes: 1000 } })
    const first = push(1, 1, 'a')
    const lazy = Array.from({ length: 5 }, () => queue.room({ group: 1, lane: 1 }))
    ;(await nth(1)).end()
    ;(await nth(2)).end()
    await first
    await Promise.all(lazy)
    expect(queue.hasRoom({ group: 1, lane: 1 })).toBe(true)
  })

  test('beyond all bounds an item is refused', async () => {
    const { push } = slowQueue({ lane: { items: 2, bytes: 1000 } })
    for (const item of ['a', 'b', 'c', 'd']) void push(1, 1, item)
    await expect(push(1, 1, 'e')).rejects.toThrow(QueueFull)
  })

  test('everything is stored once, in the order of its lane', async () => {
    const places = fc.array(
      fc.record({
        group: fc.integer({ min: 1, max: 3 }),
        lane: fc.integer({ min: 1, max: 4 }),
        bytes: fc.nat(600),
      }),
      { maxLength: 200 },
    )
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 1, max: 9 }), async (given, batchMax) => {
        const stored: { at: number; place: string }[] = []
        const queue = new FairQueue<{ at: number; place: string }, { at: number; place: string }[], number>(
          { ...limits, batchMax },
          {
            prepare: async (items) => ({ prepared: items }),
            store: async (items) => {
              stored.push(...items)
              return items.map(({ at }) => at)
            },
          },
        )
        const results = given.map(({ group, lane, bytes }, at) =>
          queue.push({ group, lane: group * 10 + lane, bytes }, { at, place: `${group} ${lane}` }),
        )
        expect(await Promise.all(results)).toEqual(given.map((_, at) => at))
        await queue.drain()
        expect(stored.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(given.map((_, at) => at))
        for (const own of Map.groupBy(stored, ({ place }) => place).values())
          expect(own.map(({ at }) => at)).toEqual(own.map(({ at }) => at).toSorted((a, b) => a - b))
      }),
    )
  })
})
