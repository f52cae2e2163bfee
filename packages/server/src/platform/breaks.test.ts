import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { breakAfter } from './breaks.ts'
import { ReadingTurns } from './reader/turns.ts'
import { readerLimits } from './reader/types.ts'
import { LIVE, lastOf, Pool } from './scripts/pools.ts'

describe('breaks of work that comes last', () => {
  it.each([
    [0, 0],
    [-1, 0],
    [100, 200],
    [60_000, 5_000],
  ])('after %i ms of work last %i ms', (workedMs, breakMs) => {
    expect(breakAfter(workedMs)).toBe(breakMs)
  })

  it('follow the calls of scripts that come last, and no others', () => {
    const unused = () => {
      throw new Error('a pool without processes starts none')
    }
    expect(new Pool(lastOf(LIVE), 0, unused).ended(100, 0)).toBe(200)
    expect(new Pool(LIVE, 0, unused).ended(100, 0)).toBe(0)
  })
})

describe('an account that takes a break from reading', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('waits for its end, and others do not', async () => {
    const turns = new ReadingTurns(readerLimits)
    const read: number[] = []
    const begin = (accountId: number) => turns.run(accountId, 1, async () => void read.push(accountId))
    turns.pause(1, 1_000)
    const paused = begin(1)
    await begin(2)
    expect(read).toEqual([2])
    vi.advanceTimersByTime(1_000)
    await paused
    expect(read).toEqual([2, 1])
  })
})
