import { expect, test } from 'vitest'
import { illFormedPath } from './wellFormed.ts'

test.each([
  ['a\u0000', []],
  [{ a: 'x', b: ['y', { c: '\ud800' }] }, ['b', 1, 'c']],
  [{ a: { 'x\udc00': 1 } }, ['a']],
  [{ a: [['', '\u0000']] }, ['a', 0, 1]],
])('a text nobody can store is found with its place', (input, path) => {
  expect(illFormedPath(input)).toEqual(path)
})

test.each([
  [undefined],
  [null],
  [12],
  ['ü🌡️\u2028'],
  [{ a: ['x', 1, null, { b: true }] }],
  [new File(['\u0000'], 'a')],
])('what is sound is let through', (input) => {
  expect(illFormedPath(input)).toBeUndefined()
})
