import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { differences } from './compare.ts'

const keys = (expected: object, actual: object) =>
  differences(expected as Record<string, unknown>, actual as Record<string, unknown>).map(({ key }) => key)

describe('values that are the same', () => {
  test.each([
    [0.3, 0.1 + 0.2],
    [1e12, 1e12 + 1e-4],
    [0, -0],
    [0, 1e-10],
    ['a', 'a'],
    [null, null],
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [[0.3], [0.1 + 0.2]],
    [{}, {}],
  ])('%j and %j', (expected, actual) => {
    expect(keys({ x: expected }, { x: actual })).toEqual([])
  })

  test('are the same whichever JSON they are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (values) => {
        expect(keys(values, JSON.parse(JSON.stringify(values)) as object)).toEqual([])
      }),
    )
  })
})

describe('values that differ', () => {
  test.each([
    [1, 2],
    [0, 1e-8],
    [1, '1'],
    [0, false],
    [null, 0],
    [null, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, {}],
    ['Größe', 'Groesse'],
    [1, Number.NaN],
    [1, Number.POSITIVE_INFINITY],
  ])('%j and %j', (expected, actual) => {
    expect(keys({ x: expected }, { x: actual })).toEqual(['x'])
    expect(keys({ x: actual }, { x: expected })).toEqual(['x'])
  })

  test('are listed by name, those of one side without a value on the other', () => {
    expect(differences({ b: 1, a: 2 }, { c: 3, a: 2 })).toEqual([
      { key: 'b', expected: 1, actual: undefined },
      { key: 'c', expected: undefined, actual: 3 },
    ])
  })

  test.each(['constructor', 'toString', 'hasOwnProperty'])('a variable may be called %s', (name) => {
    expect(differences({}, { [name]: 1 })).toEqual([{ key: name, expected: undefined, actual: 1 }])
    expect(differences({ [name]: 1 }, {})).toEqual([{ key: name, expected: 1, actual: undefined }])
    expect(differences({ [name]: 1 }, { [name]: 1 })).toEqual([])
  })
})
