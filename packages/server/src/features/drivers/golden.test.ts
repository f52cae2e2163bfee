import { expect, test } from 'vitest'
import { compareVariables } from './golden.ts'

test.each([
  [{ a: 0.3 }, { a: 0.1 + 0.2 }, []],
  [{ a: 1 }, { a: 1.001 }, ['a']],
  [{ a: 1e12 }, { a: 1e12 + 0.0001 }, []],
  [{ a: 1, b: 'x' }, { b: 'x', a: 1 }, []],
  [{ a: null }, {}, []],
  [{ a: 1 }, {}, ['a']],
  [{}, { a: 1 }, ['a']],
  [{ a: '1' }, { a: 1 }, ['a']],
  [{ a: [1, { b: 0.3 }] }, { a: [1, { b: 0.1 + 0.2 }] }, []],
  [{ a: [1] }, { a: [1, 2] }, ['a']],
  [{ a: { b: 1 } }, { a: { b: 2 } }, ['a']],
  [{ a: {} }, { a: [] }, ['a']],
])('%j and %j differ in %j', (expected, actual, keys) => {
  expect(compareVariables(expected, actual).map(({ key }) => key)).toEqual(keys)
})

test('a difference names both values', () => {
  expect(compareVariables({ a: 1, b: 2 }, { a: 1, c: 3 })).toEqual([
    { key: 'b', expected: 2, actual: null },
    { key: 'c', expected: null, actual: 3 },
  ])
})
