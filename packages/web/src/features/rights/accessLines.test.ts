import { expect, test } from 'vitest'
import { emptyLine } from './accessLines.ts'

test('the first row is the main one, and each has a key of its own', () => {
  const first = emptyLine([])
  const second = emptyLine([first])
  const third = emptyLine([second])
  expect([first, second, third].map(({ isMain }) => isMain)).toEqual([true, false, false])
  expect(second.key).not.toBe(first.key)
  expect(third.key).not.toBe(second.key)
  expect(emptyLine([{ ...first, key: 41 }, second]).key).toBe(42)
})
