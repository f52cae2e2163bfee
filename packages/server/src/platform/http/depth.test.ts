import { expect, test } from 'vitest'
import { isDeeperThan } from './depth.ts'

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
