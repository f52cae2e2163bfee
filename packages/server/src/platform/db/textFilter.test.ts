import { expect, test } from 'vitest'
import { likePattern, parseKeyValueFilter, parseTextFilter } from './textFilter.ts'

test.each([
  [undefined, null],
  ['  ', null],
  ['""', null],
  [' 123 ', { text: '123', exact: false }],
  ['"123"', { text: '123', exact: true }],
  ['"a "b" c"', { text: 'a "b" c', exact: true }],
  ['"open', { text: '"open', exact: false }],
])('parseTextFilter(%j)', (typed, expected) => {
  expect(parseTextFilter(typed)).toEqual(expected)
})

test.each([
  ['', null],
  ['=x', null],
  ['serial', { key: 'serial', value: null }],
  ['serial=', { key: 'serial', value: null }],
  ['serial = 12', { key: 'serial', value: { text: '12', exact: false } }],
  ['serial="a=b"', { key: 'serial', value: { text: 'a=b', exact: true } }],
])('parseKeyValueFilter(%j)', (typed, expected) => {
  expect(parseKeyValueFilter(typed)).toEqual(expected)
})

test.each([
  [{ text: '50%_\\', exact: false }, '%50\\%\\_\\\\%'],
  [{ text: 'a', exact: true }, 'a'],
  [{ text: '%', exact: true }, '\\%'],
])('likePattern(%j)', (filter, expected) => {
  expect(likePattern(filter)).toBe(expected)
})
