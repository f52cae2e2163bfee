import { describe, expect, test } from 'vitest'
import { AccountTurns } from './accountTurns.ts'

/** Takes a turn at a time, which lasts `tookMs`; the id of the account, or null. */
function turn(turns: AccountTurns, atMs: number, tookMs = 1): number | null {
  const taken = turns.take(atMs)
  if (taken === undefined) return null
  turns.done(taken, { tookMs, nowMs: atMs + tookMs })
  return taken.accountId
}

describe('turns of accounts', () => {
  test('come in the order of their changes, once for any number of changes', () => {
    const turns = new AccountTurns()
    turns.add([3, 1], true)
    turns.add([3, 2], true)
    expect([turn(turns, 0), turn(turns, 1), turn(turns, 2), turn(turns, 3)]).toEqual([3, 1, 2, null])
    expect(turns.waitMs(3)).toBeUndefined()
  })

  test('come before those of accounts of which nobody knows whether they changed', () => {
    const turns = new AccountTurns()
    turns.add([1, 2], false)
    turns.add([2], true)
    expect(turn(turns, 0)).toBe(2)
    // Its change was looked at, with everything else of it.
    expect([turn(turns, 1), turn(turns, 2)]).toEqual([1, null])
    expect(turns.waitMs(2)).toBeUndefined()
  })

  test('of one account are a second apart, others do not wait for them', () => {
    const turns = new AccountTurns()
    turns.add([1], true)
    expect(turn(turns, 0)).toBe(1)
    turns.add([1], true)
    turns.add([2], true)
    expect(turn(turns, 10)).toBe(2)
    expect(turn(turns, 11)).toBeNull()
    expect(turns.waitMs(11)).toBe(990)
    expect(turn(turns, 1_000)).toBeNull()
    expect(turn(turns, 1_001)).toBe(1)
  })

  test('of an account that takes long are ten times as far apart', () => {
    const turns = new AccountTurns()
    turns.add([1], true)
    expect(turn(turns, 0, 500)).toBe(1)
    turns.add([1], true)
    expect(turns.waitMs(500)).toBe(5_000)
    expect([turn(turns, 5_499), turn(turns, 5_500)]).toEqual([null, 1])
  })

  test('of those of whom nobody knows take half of the time, and the first that changed waits for one of them at most', () => {
    const turns = new AccountTurns()
    turns.add([1, 2, 3], false)
    expect(turn(turns, 0, 40)).toBe(1)
    expect(turn(turns, 40)).toBeNull()
    expect(turns.waitMs(40)).toBe(40)
    turns.add([9], true)
    expect(turn(turns, 41)).toBe(9)
    expect([turn(turns, 79), turn(turns, 80)]).toEqual([null, 2])
  })

  test('that failed come again after a rest', () => {
    const turns = new AccountTurns()
    turns.add([1, 2], true)
    const failed = turns.take(0)
    if (failed === undefined) throw new Error('nobody waits')
    turns.add([failed.accountId], failed.isKnown)
    turns.done(failed, { tookMs: 5, nowMs: 5 })
    expect([turn(turns, 6), turn(turns, 7)]).toEqual([2, null])
    expect(turn(turns, 1_005)).toBe(1)
  })

  test('whatever rests are asked for are all taken by who does not want to wait', () => {
    const turns = new AccountTurns()
    turns.add([1], true)
    turn(turns, 0, 10_000)
    turns.add([1], true)
    turns.add([2, 3], false)
    const all = [1, 2, 3].map(() => turn(turns, Number.POSITIVE_INFINITY))
    expect(all).toEqual([1, 2, 3])
  })

  test('of very many accounts leave no more rests behind than there are', () => {
    const turns = new AccountTurns()
    for (let id = 1; id <= 5_000; id++) {
      turns.add([id], true)
      expect(turn(turns, id * 2)).toBe(id)
    }
    turns.add([1, 5_000], true)
    expect([turn(turns, 10_002), turn(turns, 10_002)]).toEqual([1, null])
  })
})
