import { describe, expect, test } from 'vitest'
import { Batcher, BatcherFull } from './batcher.ts'

/** A store whose batches end when the test says so. */
function slowStore() {
  const batches: { items: number[]; end: (error?: Error) => void }[] = []
  const seen = new Set<() => void>()
  const store = (items: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      batches.push({
        items,
        end: (error) => (error ? reject(error) : resolve(items.map((item) => `stored ${item}`))),
      })
      for (const wake of seen) wake()
    })
  const begun = async (count: number) => {
    while (batches.length < count) await new Promise<void>((resolve) => seen.add(resolve))
    return batches[count - 1] as (typeof batches)[number]
  }
  return { store, begun, batches }
}

describe('Batcher', () => {
  test('while one batch is stored the next one fills, and each push gets its own result', async () => {
    const { store, begun } = slowStore()
    const batcher = new Batcher({ batchMax: 3, waitingMax: 100 }, store)
    const first = [batcher.push(1), batcher.push(2)]
    const one = await begun(1)
    expect(one.items).toEqual([1, 2])
    const second = [3, 4, 5, 6].map((item) => batcher.push(item))
    one.end()
    expect(await Promise.all(first)).toEqual(['stored 1', 'stored 2'])
    const two = await begun(2)
    expect(two.items).toEqual([3, 4, 5])
    two.end()
    ;(await begun(3)).end()
    expect(await Promise.all(second)).toEqual(['stored 3', 'stored 4', 'stored 5', 'stored 6'])
  })

  test('a failed batch fails its own pushes only', async () => {
    const { store, begun } = slowStore()
    const batcher = new Batcher({ batchMax: 1, waitingMax: 10 }, store)
    const bad = batcher.push(1)
    const good = batcher.push(2)
    ;(await begun(1)).end(new Error('disk full'))
    await expect(bad).rejects.toThrow('disk full')
    ;(await begun(2)).end()
    expect(await good).toBe('stored 2')
  })

  test('it is bounded: no room, then a refusal, and room again after a batch has begun', async () => {
    const { store, begun } = slowStore()
    const batcher = new Batcher({ batchMax: 2, waitingMax: 2 }, store)
    const pushes = [batcher.push(1), batcher.push(2)]
    expect(batcher.hasRoom).toBe(false)
    await expect(batcher.push(3)).rejects.toThrow(BatcherFull)
    const room = batcher.room()
    const one = await begun(1)
    await room
    pushes.push(batcher.push(4))
    one.end()
    ;(await begun(2)).end()
    await Promise.all(pushes)
  })

  test('drain waits for everything that was pushed', async () => {
    const stored: number[] = []
    const batcher = new Batcher<number, number>({ batchMax: 7, waitingMax: 1000 }, async (items) => {
      stored.push(...items)
      return items
    })
    for (let item = 0; item < 100; item++) void batcher.push(item)
    await batcher.drain()
    expect(stored).toEqual(Array.from({ length: 100 }, (_, item) => item))
  })
})
