import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GroupedCache } from './groupedCache.ts'

interface Value {
  name: string
  groups: number[]
  size: number
}
const value = (name: string, groups: number[], size = 1): Value => ({ name, groups, size })
const cacheOf = (max: number) =>
  new GroupedCache<string, Value, number>({
    max,
    groupsOf: ({ groups }) => groups,
    sizeOf: ({ size }) => size,
  })
const namesIn = (cache: ReturnType<typeof cacheOf>, group: number) =>
  cache
    .ofGroup(group)
    .map(([, { name }]) => name)
    .sort()

describe('a grouped cache', () => {
  test('deletes what is in a group, also if that is in others', () => {
    const cache = cacheOf(10)
    cache.set('a', value('a', [1, 2]))
    cache.set('b', value('b', [2]))
    cache.set('c', value('c', [3]))
    cache.deleteGroup(1)
    expect(cache.get('a')).toBeUndefined()
    expect(namesIn(cache, 2)).toEqual(['b'])
    cache.deleteGroup(99)
    expect(namesIn(cache, 3)).toEqual(['c'])
  })

  test('drops what was not used for longest, by size', () => {
    const cache = cacheOf(5)
    cache.set('a', value('a', [1], 2))
    cache.set('b', value('b', [1], 2))
    cache.get('a')
    cache.set('c', value('c', [1], 3))
    expect(namesIn(cache, 1)).toEqual(['a', 'c'])
  })

  test('does not keep what is larger than all of it', () => {
    const cache = cacheOf(5)
    cache.set('a', value('a', [1], 6))
    expect([cache.get('a'), namesIn(cache, 1)]).toEqual([undefined, []])
  })

  test('does not keep the value before one that is too large, either', () => {
    const cache = cacheOf(5)
    cache.set('a', value('before', [1]))
    cache.set('a', value('after', [2], 6))
    expect([cache.get('a'), namesIn(cache, 1), namesIn(cache, 2)]).toEqual([undefined, [], []])
  })

  test('knows the groups of the last value of a key', () => {
    const cache = cacheOf(5)
    cache.set('a', value('before', [1, 2]))
    cache.set('a', value('after', [2, 3]))
    cache.deleteGroup(1)
    expect(namesIn(cache, 2)).toEqual(['after'])
    cache.deleteGroup(3)
    expect(cache.get('a')).toBeUndefined()
  })

  test('is used again after it was cleared', () => {
    const cache = cacheOf(5)
    cache.set('a', value('a', [1]))
    cache.clear()
    expect([cache.get('a'), namesIn(cache, 1)]).toEqual([undefined, []])
    cache.set('b', value('b', [1]))
    cache.deleteGroup(1)
    expect([...cache.entries()]).toEqual([])
  })

  test('has in its groups what is in it, whatever happened', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const groups = fc.uniqueArray(fc.integer({ min: 0, max: 3 }))
    const step = fc.oneof(
      fc.tuple(fc.constant('set' as const), key, groups, fc.integer({ min: 1, max: 7 })),
      fc.tuple(fc.constant('delete' as const), key),
      fc.tuple(fc.constant('group' as const), fc.integer({ min: 0, max: 3 })),
      fc.tuple(fc.constant('clear' as const)),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const cache = cacheOf(6)
        for (const each of steps) {
          if (each[0] === 'set') cache.set(each[1], value(each[1], each[2], each[3]))
          else if (each[0] === 'delete') cache.delete(each[1])
          else if (each[0] === 'group') cache.deleteGroup(each[1])
          else cache.clear()
          const all = [...cache.entries()]
          expect(all.reduce((sum, [, { size }]) => sum + size, 0)).toBeLessThanOrEqual(6)
          for (const group of [0, 1, 2, 3]) {
            const inIt = all.filter(([, found]) => found.groups.includes(group)).map(([name]) => name)
            expect(namesIn(cache, group)).toEqual(inIt.sort())
          }
        }
      }),
    )
  })
})
