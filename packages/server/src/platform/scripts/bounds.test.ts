import { describe, expect, it } from 'vitest'
import { CrashBudgets } from './budgets.ts'
import type { PendingCall } from './calls.ts'
import { cut } from './parts.ts'
import { Quarantine } from './quarantine.ts'
import { Shares } from './shares.ts'
import { LIMITS, type ScriptResult } from './types.ts'
import { WaitingCalls } from './waiting.ts'

function pending(id: number, group: string, chars = 10): PendingCall {
  const definition = {
    key: group,
    group,
    kind: 'driver',
    source: '',
    parameters: [],
    recvTime: 'date',
  } as const
  const head = { key: group, total: 1, entry: 'decode', console: false } as const
  return {
    id,
    definition,
    script: group,
    owner: group,
    account: null,
    asked: { kind: 'run', head },
    text: ' '.repeat(chars),
    total: 1,
    pool: 'live',
    apart: 'apart',
    last: 'last',
    crashed: [],
    singleUntil: 0,
    suspected: false,
    sentAt: 0,
    attempts: 0,
    sentUnproven: false,
    results: [],
    answer: () => undefined,
  }
}

const always = () => true
const nobody = new Shares()

describe('waiting calls', () => {
  it('do not wait for calls of their group that come last', () => {
    const waiting = new WaitingCalls()
    waiting.add({ ...pending(1, 'a'), pool: 'last' })
    waiting.add(pending(2, 'a'))
    const taken = waiting.take(({ pool, last }) => pool !== last, nobody, 0)
    expect([taken?.id, waiting.size]).toEqual([2, 1])
  })

  it('takes turns between groups', () => {
    const waiting = new WaitingCalls()
    for (const [index, group] of ['a', 'a', 'a', 'b', 'c'].entries()) waiting.add(pending(index, group))
    const order = Array.from({ length: 5 }, () => waiting.take(always, nobody, 0)?.id)
    expect(order).toEqual([0, 3, 4, 1, 2])
    expect(waiting.take(always, nobody, 0)).toBeUndefined()
    expect(waiting.size).toBe(0)
  })

  it('who has used most comes last, and goes on at once when nobody else waits', () => {
    const waiting = new WaitingCalls()
    const shares = new Shares()
    shares.add('greedy', 5_000, 0)
    for (const [index, group] of ['greedy', 'greedy', 'b', 'b', 'c'].entries())
      waiting.add(pending(index, group))
    const passed: string[] = []
    const order = Array.from(
      { length: 5 },
      () => waiting.take(always, shares, 0, ({ owner }) => passed.push(owner))?.id,
    )
    expect(order).toEqual([2, 4, 3, 0, 1])
    expect(passed).toEqual(['greedy', 'greedy', 'greedy'])
  })

  it('what a group has used is forgotten with time', () => {
    const shares = new Shares()
    shares.add('a', 800, 0)
    expect([0, 5_000, 10_000].map((now) => shares.of('a', now))).toEqual([800, 400, 200])
  })

  it('a call that no process can take holds nobody up', () => {
    const waiting = new WaitingCalls()
    for (const [index, group] of ['a', 'b'].entries()) waiting.add(pending(index, group))
    expect(waiting.take(({ owner }) => owner !== 'a', nobody, 0)?.id).toBe(1)
    expect(waiting.take(({ owner }) => owner !== 'a', nobody, 0)).toBeUndefined()
  })

  it('is bounded in number and in size, and one group leaves as much to the others as it takes', () => {
    const many = new WaitingCalls()
    for (let i = 0; i < LIMITS.waitingCalls / 2; i++) expect(many.add(pending(i, 'a'))).toBe(true)
    expect(many.add(pending(-1, 'a'))).toBe(false)
    expect(many.add(pending(-2, 'b'))).toBe(true)
    const large = new WaitingCalls()
    expect(large.add(pending(1, 'a', LIMITS.waitingChars / 2))).toBe(true)
    expect(large.add(pending(2, 'a', LIMITS.waitingChars / 2))).toBe(false)
    expect(large.add(pending(3, 'b', LIMITS.waitingChars / 4))).toBe(true)
    expect(large.add(pending(4, 'c', LIMITS.waitingChars / 2))).toBe(false)
    expect(large.drain()).toHaveLength(2)
    expect(large.add(pending(5, 'b'))).toBe(true)
  })
})

describe('budgets of deaths', () => {
  it('after a few only what ran well before runs, after many nothing, and all of it after a while', () => {
    const budgets = new CrashBudgets()
    budgets.answered('old', 0)
    for (let i = 1; i < LIMITS.deathsPerOwner; i++) budgets.died('a', i)
    expect(budgets.mayRun('a', 'new', 10)).toBe(true)
    budgets.died('a', 10)
    budgets.answered('primed', 11)
    expect(['old', 'new', 'primed'].map((key) => budgets.mayRun('a', key, 12))).toEqual([true, false, false])
    expect(budgets.mayRun('b', 'new', 12)).toBe(true)
    budgets.crashed('old')
    expect(budgets.mayRun('a', 'old', 12)).toBe(false)
    budgets.answered('other', 0)
    while (budgets.died('a', 20) < LIMITS.deathsPerOwnerMax);
    expect(budgets.allowed('a', 21)).toBe('none')
    expect(budgets.mayRun('a', 'new', 21 + LIMITS.ownerRestMs)).toBe(true)
  })

  it('deaths that lie far apart are no reason', () => {
    const budgets = new CrashBudgets()
    for (let i = 0; i < 20; i++) budgets.died('a', i * 61_000)
    expect(budgets.allowed('a', 20 * 61_000)).toBe('all')
  })
})

describe('quarantine', () => {
  it('begins with the third crash within a minute and ends by itself', () => {
    const quarantine = new Quarantine()
    expect([0, 1, 2].map((ms) => quarantine.crashed('a', ms))).toEqual([false, false, true])
    expect(quarantine.has('a', 2 + LIMITS.quarantineMs - 1)).toBe(true)
    expect(quarantine.has('a', 2 + LIMITS.quarantineMs)).toBe(false)
    expect(quarantine.has('b', 2)).toBe(false)
    expect(quarantine.keys(3)).toEqual(['a'])
  })

  it('forgets crashes that lie far apart', () => {
    const quarantine = new Quarantine()
    expect([0, 1, 61_000].map((ms) => quarantine.crashed('a', ms))).toEqual([false, false, false])
  })
})

describe('parts', () => {
  it('are bounded by number and by size, in order', () => {
    const results: ScriptResult[] = []
    const many = cut(
      Array.from({ length: LIMITS.inputsPerCall + 1 }, (_, n) => ({ n })),
      results,
    )
    expect(many.map((part) => part.indexes.length)).toEqual([LIMITS.inputsPerCall, 1])
    const large = { text: 'x'.repeat(LIMITS.inputChars / 2) }
    expect(cut([large, large, large], results).map((part) => part.indexes)).toEqual([[0], [1], [2]])
    expect(results).toEqual([])
  })
})
