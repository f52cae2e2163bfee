import { expect, test } from 'vitest'
import { isIndexed, likePatterns, parseKeyValueFilter } from './textFilter.ts'

test.each([
  ['', null],
  ['=x', null],
  ['serial', { key: 'serial', value: null }],
  ['serial=', { key: 'serial', value: null }],
  ['serial = 12', { key: 'serial', value: [{ forms: ['12'], exact: false, typed: '12' }] }],
  ['serial="a=b"', { key: 'serial', value: [{ forms: ['a=b'], exact: true, typed: 'a=b' }] }],
])('parseKeyValueFilter(%j)', (typed, expected) => {
  expect(parseKeyValueFilter(typed)).toEqual(expected)
})

test.each([
  [{ forms: ['50%_\\'], exact: false }, ['%50\\%\\_\\\\%']],
  [{ forms: ['buro', 'buero'], exact: false }, ['%buro%', '%buero%']],
  [{ forms: ['%'], exact: true }, ['%\n\\%\n%']],
])('likePatterns(%j)', (word, expected) => {
  expect(likePatterns(word)).toEqual(expected)
})

test.each([
  [['abc'], true],
  [['ab'], false],
  [['ab', 'abc'], false],
  [['a%b'], false],
  [['%abc'], true],
])('isIndexed(%j)', (forms, expected) => {
  expect(isIndexed({ forms })).toBe(expected)
})
