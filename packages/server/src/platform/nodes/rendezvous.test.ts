import { describe, expect, it } from 'vitest'
import { choose } from './rendezvous.ts'

const keys = Array.from({ length: 64 }, (_, index) => `packets.${index}`)

describe('rendezvous hashing', () => {
  it('gives each of three nodes a share of 64 partitions', () => {
    const counts = new Map<string | undefined, number>()
    for (const key of keys) {
      const node = choose(key, ['a', 'b', 'c'])
      counts.set(node, (counts.get(node) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual(['a', 'b', 'c'])
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(12)
  })

  it('moves only the keys of a node that is gone', () => {
    for (const key of keys) {
      const before = choose(key, ['a', 'b', 'c'])
      if (before !== 'b') expect(choose(key, ['c', 'a'])).toBe(before)
    }
  })

  it('does not depend on the order, and chooses nobody of none', () => {
    for (const key of keys) expect(choose(key, ['c', 'b', 'a'])).toBe(choose(key, ['a', 'b', 'c']))
    expect(choose('x', [])).toBeUndefined()
  })
})
