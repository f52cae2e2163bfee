import { describe, expect, it } from 'vitest'
import type { PendingCall } from './engine.ts'
import { cut } from './parts.ts'
import { Quarantine } from './quarantine.ts'
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
  const json = ' '.repeat(chars)
  const call = { id, definition, json, head, crashed: [], singleUntil: 0, suspected: false, attempts: 0 }
  return { ...call, resolve: () => undefined }
}

describe('waiting calls', () => {
  it('takes turns between groups', () => {
    const waiting = new WaitingCalls()
    for (const [index, group] of ['a', 'a', 'a', 'b', 'c'].entries()) waiting.add(pending(index, group))
    const order = Array.from({ length: 5 }, () => waiting.shift()?.id)
    expect(order).toEqual([0, 3, 4, 1, 2])
    expect(waiting.peek()).toBeUndefined()
    expect(waiting.size).toBe(0)
  })

  it('is bounded in number and in size', () => {
    const many = new WaitingCalls()
    for (let i = 0; i < LIMITS.waitingCalls; i++) expect(many.add(pending(i, 'a'))).toBe(true)
    expect(many.add(pending(-1, 'b'))).toBe(false)
    const large = new WaitingCalls()
    expect(large.add(pending(1, 'a', LIMITS.waitingChars))).toBe(true)
    expect(large.add(pending(2, 'b'))).toBe(false)
    expect(large.drain()).toHaveLength(1)
    expect(large.add(pending(3, 'b'))).toBe(true)
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
