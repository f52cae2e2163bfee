import { LRUCache } from 'lru-cache'
import { expect, test } from 'vitest'
import { upTo } from './cache.ts'

test('holds so many entries and gives up what was used least recently', () => {
  const gone: number[] = []
  const cache = new LRUCache<string, number>({ ...upTo(3), dispose: (value) => gone.push(value) })
  for (const [index, name] of ['a', 'b', 'c'].entries()) cache.set(name, index)
  cache.get('a')
  cache.set('b', 10)
  cache.set('d', 3)
  expect([...cache.keys()].toSorted()).toEqual(['a', 'b', 'd'])
  expect(gone).toEqual([1, 2])
})
