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

test.each([
  ['no rows', [], { key: 0, isMain: true }],
  ['a row that was removed in between', [0, 2], { key: 3, isMain: false }],
  ['rows in any order', [5, 1, 3], { key: 6, isMain: false }],
])('after %s a new row is empty', (_name, keys, expected) => {
  const lines = keys.map((key) => ({ key, scopeId: '1', roleId: '2', isMain: key === 0 }))
  expect(emptyLine(lines)).toEqual({ scopeId: null, roleId: null, ...expected })
})
