import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { keepFreshKey } from './freshKeys.ts'

const kept = (cache: QueryClient) =>
  cache
    .getQueryCache()
    .getAll()
    .map(({ state }) => state.data)

test('a new key of a webhook is kept for the following pages, each for its connector', () => {
  const cache = new QueryClient()
  keepFreshKey(cache, 3, 'first')
  keepFreshKey(cache, 4, 'second')
  keepFreshKey(cache, 3, 'newer')
  expect(kept(cache)).toEqual(['newer', 'second'])
  cache.clear()
})

test('a connector without a key keeps nothing, and does not forget one', () => {
  const cache = new QueryClient()
  keepFreshKey(cache, 3, null)
  expect(kept(cache)).toEqual([])
  keepFreshKey(cache, 3, 'first')
  keepFreshKey(cache, 3, null)
  expect(kept(cache)).toEqual(['first'])
  cache.clear()
})

test('it is gone with everything else when the user signs out', () => {
  const cache = new QueryClient()
  keepFreshKey(cache, 3, 'first')
  cache.clear()
  expect(kept(cache)).toEqual([])
})
