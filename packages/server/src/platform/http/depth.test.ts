import { expect, test } from 'vitest'
import { exceeds, isDeeperThan } from './depth.ts'

test.each([
  [1, 0, false],
  [null, 0, false],
  [[1], 0, true],
  [[1], 1, false],
  [{ a: [{ b: 1 }], c: 2 }, 2, true],
  [{ a: [{ b: 1 }], c: 2 }, 3, false],
  [JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 100, true],
])('isDeeperThan, case %#', (value, max, deeper) => {
  expect(isDeeperThan(value, max)).toBe(deeper)
})

test.each([
  [1, 1, false],
  [[1, 2], 3, false],
  [[1, 2], 2, true],
  [{ a: [{ b: null }], c: {} }, 5, false],
  [{ a: [{ b: null }], c: {} }, 4, true],
  [JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 1000, true],
])('more values than allowed, case %#', (value, valuesMax, more) => {
  expect(exceeds(value, { depthMax: 1_000_000, valuesMax })).toBe(more ? 'valuesMax' : undefined)
})
