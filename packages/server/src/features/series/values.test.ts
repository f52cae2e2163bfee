import { describe, expect, it } from 'vitest'
import { toColumns, typeOf } from './values.ts'

describe('the type of a value', () => {
  it.each([
    ['number', 21.5, 'num'],
    ['text', 'open', 'txt'],
    ['boolean', true, 'bool'],
    ['boolean', 1, 'bool'],
    ['json', { a: [1] }, 'json'],
    ['json', 5, 'json'],
  ] as const)('a %s state takes %j', (type, value, column) => {
    expect(toColumns(value as never, type)?.[column]).not.toBeNull()
  })
  it.each([
    ['number', '21.5'],
    ['number', Number.NaN],
    ['number', true],
    ['number', null],
    ['text', 5],
    ['boolean', 'true'],
    ['boolean', 2],
  ] as const)('a %s state refuses %j', (type, value) => {
    expect(toColumns(value, type)).toBeNull()
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
