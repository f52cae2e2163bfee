import { afterEach, describe, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'
import { Loop } from './loop.ts'

/** Longer than any test: a loop that waits this long only continues when it is woken. */
const hourMs = 3_600_000

let stop: () => Promise<void> = async () => undefined
afterEach(async () => {
  vi.useRealTimers()
  await stop()
})

/**
 * A loop whose rounds the test ends: `begun` resolves when the next one has started, `end` sets its result.
 */
function controlled(retryMs = hourMs, restMs?: (tookMs: number) => number) {
  let rounds = 0
  let begin = Promise.withResolvers<PromiseWithResolvers<number>>()
  const loop = new Loop({
    log: createLog('silent'),
    failure: 'failed',
    retryMs,
    ...(restMs && { restMs }),
    round: () => {
      rounds++
      const round = Promise.withResolvers<number>()
      begin.resolve(round)
      begin = Promise.withResolvers()
      return round.promise
    },
  })
  stop = () => loop.stop()
  return { loop, next: () => begin.promise, rounds: () => rounds }
}

describe('Loop', () => {
  test('makes the next round at once while there is more to do, and one at a time', async () => {
    const { loop, next, rounds } = controlled()
    const first = next()
    loop.start()
    loop.start()
    loop.wake()
    expect(rounds()).toBe(1)
    const second = next()
    ;(await first).resolve(0)
    ;(await second).resolve(hourMs)
    expect(rounds()).toBe(2)
  })

  test('is woken while it waits, and remembers a wake-up during a round', async () => {
    const { loop, next, rounds } = controlled()
    const first = next()
    loop.start()
    const second = next()
    loop.wake()
    ;(await first).resolve(hourMs)
    const round = await second
    const third = next()
    round.resolve(hourMs)
    await new Promise(setImmediate) // it is waiting now
    expect(rounds()).toBe(2)
    loop.wake()
    ;(await third).resolve(hourMs)
    expect(rounds()).toBe(3)
  })

  test('rests after a round, and then makes the one it was woken for', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { loop, next, rounds } = controlled(hourMs, () => 1_000)
    const first = next()
    loop.start()
    const round = await first
    loop.wake()
    round.resolve(hourMs)
    await vi.advanceTimersByTimeAsync(500)
    loop.wake()
    await vi.advanceTimersByTimeAsync(499)
    expect(rounds()).toBe(1)
    const second = next()
    await vi.advanceTimersByTimeAsync(1)
    ;(await second).resolve(hourMs)
    expect(rounds()).toBe(2)
  })

  test('is stopped while it rests', async () => {
    const { loop, next, rounds } = controlled(hourMs, () => hourMs)
    const first = next()
    loop.start()
    ;(await first).resolve(0)
    await new Promise(setImmediate)
    await loop.stop()
    expect(rounds()).toBe(1)
  })

  test('does not rest after a round in which it was stopped', async () => {
    const { loop, next } = controlled(hourMs, () => hourMs)
    const first = next()
    loop.start()
    const round = await first
    const stopped = loop.stop()
    round.resolve(0)
    await stopped
  })

  test('goes on after a round that failed', async () => {
    const { loop, next } = controlled(0)
    const first = next()
    loop.start()
    const second = next()
    ;(await first).reject(new Error('the database is away'))
    ;(await second).resolve(hourMs)
  })

  test('waits for the round under way when it is stopped, and makes no other until it is started again', async () => {
    const { loop, next, rounds } = controlled()
    const first = next()
    loop.start()
    const round = await first
    let stopped = false
    const stopping = loop.stop().then(() => {
      stopped = true
    })
    await new Promise(setImmediate)
    expect([loop.signal.aborted, stopped]).toEqual([true, false])
    round.resolve(0)
    await stopping
    expect(rounds()).toBe(1)
    const again = next()
    loop.start()
    expect(loop.signal.aborted).toBe(false)
    ;(await again).resolve(hourMs)
    expect(rounds()).toBe(2)
  })

  test('can be stopped before it was started', async () => {
    const { loop, rounds } = controlled()
    await loop.stop()
    expect(rounds()).toBe(0)
  })
})
