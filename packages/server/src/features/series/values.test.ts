import type { JsonValue } from '@leitstand/contract/common'
import { describe, expect, it } from 'vitest'
import { fromColumns, toColumns, typeOf } from './values.ts'

const none = { num: null, txt: null, bool: null, json: null }

describe('the type of a value', () => {
  it.each([
    ['number', 21.5, { num: 21.5 }],
    ['text', 'open', { txt: 'open' }],
    ['text', '', { txt: '' }],
    ['boolean', true, { bool: true }],
    ['boolean', false, { bool: false }],
    ['boolean', 1, { bool: true }],
    ['boolean', 0, { bool: false }],
    ['json', { a: [1] }, { json: '{"a":[1]}' }],
    ['json', 5, { json: '5' }],
    ['json', null, { json: 'null' }],
  ] as const)('a %s state stores %j', (type, value, columns) => {
    expect(toColumns(value as JsonValue, type)).toEqual({ ...none, ...columns })
  })
  it.each([
    ['number', '21.5'],
    ['number', Number.NaN],
    ['number', true],
    ['number', null],
    ['text', 5],
    ['boolean', 'true'],
    ['boolean', 2],
    ['number', Number.POSITIVE_INFINITY],
    ['json', Number.POSITIVE_INFINITY],
    ['json', { a: [1, Number.NEGATIVE_INFINITY] }],
  ] as const)('a %s state refuses %o', (type, value) => {
    expect(toColumns(value as JsonValue, type)).toBeNull()
  })
  it.each([
    [{ num: 0 }, 0],
    [{ txt: '' }, ''],
    [{ bool: false }, false],
    [{ json: { a: [1] } }, { a: [1] }],
    [{}, null],
  ])('a row with %j is read as %j', (columns, value) => {
    expect(fromColumns({ ...none, ...columns })).toEqual(value)
  })
  it('of a state created for a value is that of the value', () => {
    expect([1, 'a', false, { b: 1 }, [1]].map((value) => typeOf(value))).toEqual([
      'number',
      'text',
      'boolean',
      'json',
      'json',
    ])
  })
})
