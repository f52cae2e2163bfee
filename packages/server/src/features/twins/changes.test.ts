import { expect, test } from 'vitest'
import { changesOf } from './changes.ts'

test.each([
  [{ a: 1, b: 2 }, { a: 1 }, undefined],
  [{ a: [1], b: { c: 1 } }, { a: [1], b: { c: 1 } }, undefined],
  [{ a: undefined }, { a: null }, undefined],
  [{ a: 1 }, { a: 2, b: 3 }, { a: { before: 1, after: 2 }, b: { before: null, after: 3 } }],
  [{ a: { b: 1 } }, { a: { b: 2 } }, { a: { before: { b: 1 }, after: { b: 2 } } }],
])('changesOf(%j, %j)', (before, after, expected) => {
  expect(changesOf(before, after)).toEqual(expected)
})
