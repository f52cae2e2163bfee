import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gathered } from './gathered.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('asks once for what is wanted at the same time, in parts, each id once', async () => {
  const asked: number[][] = []
  const square = gathered(async (ids) => {
    asked.push(ids)
    return new Map(ids.filter((id) => id !== 4).map((id) => [id, id * id]))
  }, 3)
  const answers = Promise.all([1, 2, 2, 3, 4].map(square))
  await vi.runAllTimersAsync()
  expect(await answers).toEqual([1, 4, 4, 9, null])
  expect(asked).toEqual([[1, 2, 3], [4]])
  const later = square(5)
  await vi.runAllTimersAsync()
  expect(await later).toBe(25)
})

test('a failure reaches all who asked, and nobody who asks later', async () => {
  let fails = true
  const one = gathered(async (ids) => {
    if (fails) throw new Error('away')
    return new Map(ids.map((id) => [id, id]))
  }, 10)
  const answers = Promise.allSettled([one(1), one(2)])
  await vi.runAllTimersAsync()
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  const again = one(1)
  await vi.runAllTimersAsync()
  expect(await again).toBe(1)
})
