import { getHeapStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { releaseHeap } from './heap.ts'

test('objects that nobody holds are given back, and no script can collect afterwards', () => {
  let kept: string[] | null = Array.from({ length: 300_000 }, (_, index) => `object ${index}`)
  expect(kept).toHaveLength(300_000)
  const before = getHeapStatistics().used_heap_size
  kept = null
  releaseHeap()
  expect(getHeapStatistics().used_heap_size).toBeLessThan(before)
  expect('gc' in globalThis).toBe(false)
})
