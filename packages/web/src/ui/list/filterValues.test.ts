import { describe, expect, test } from 'vitest'
import { eitherOf, idsOf, knownOf } from './filterValues.ts'

describe('ids of a filter', () => {
  test.each([
    [undefined, undefined],
    [[], undefined],
    [['7'], [7]],
    [
      ['7', '12'],
      [7, 12],
    ],
    [['0'], undefined],
    [['-1', '1.5', '1e3', '0x10', ' 7 ', ''], undefined],
    [['99999999999999999999'], undefined],
    [['x', '3', '<img onerror=alert(1)>'], [3]],
    [['٣'], undefined],
  ])('%j are %j', (values, ids) => {
    expect(idsOf(values)).toEqual(ids)
  })
})

describe('values that a filter knows', () => {
  const known = ['draft', 'productive'] as const
  test.each([
    [undefined, undefined],
    [[], undefined],
    [['draft'], ['draft']],
    [
      ['productive', 'draft'],
      ['draft', 'productive'],
    ],
    [['gone'], undefined],
    [['gone', 'draft'], ['draft']],
    [['constructor', 'length', '0'], undefined],
  ])('of %j are %j', (values, found) => {
    expect(knownOf(known, values)).toEqual(found)
  })
})

describe('one of two opposite values', () => {
  test.each([
    [undefined, undefined],
    [[], undefined],
    [['active'], true],
    [['inactive'], false],
    [['active', 'inactive'], undefined],
    [['inactive', 'active'], undefined],
    [['something else'], undefined],
    [['something else', 'inactive'], false],
  ])('of %j is %j', (values, is) => {
    expect(eitherOf(values, 'active', 'inactive')).toBe(is)
  })
})
