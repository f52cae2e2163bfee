import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDuplicate, type Row, toRecord } from './keyValues.ts'

const rows = (...pairs: [string, string][]): Row[] => pairs.map(([key, value], id) => ({ id, key, value }))

describe('pairs of rows', () => {
  test.each([
    ['nothing', [], {}],
    [
      'rows without a key',
      [
        ['', 'x'],
        [' ', 'y'],
      ],
      {},
    ],
    ['keys without blanks around them', [[' Ort ', ' Halle 1 ']], { Ort: ' Halle 1 ' }],
    ['an empty value', [['Ort', '']], { Ort: '' }],
    [
      'the first of the same key',
      [
        ['a', '1'],
        ['a ', '2'],
        ['a', '3'],
      ],
      { a: '1' },
    ],
    [
      'keys that differ in case',
      [
        ['a', '1'],
        ['A', '2'],
      ],
      { a: '1', A: '2' },
    ],
  ] as [string, [string, string][], object][])('%s', (_name, pairs, record) => {
    expect(toRecord(rows(...pairs))).toEqual(record)
  })

  test('keep the order of the rows', () => {
    expect(Object.keys(toRecord(rows(['z', '1'], ['a', '2'], ['m', '3'])))).toEqual(['z', 'a', 'm'])
  })

  test('come back as the rows they were shown as', () => {
    const key = fc
      .string({ minLength: 1 })
      .filter((each) => each.trim() === each && each !== '__proto__' && !/^\d+$/.test(each))
    fc.assert(
      fc.property(fc.dictionary(key, fc.string()), (record) => {
        const shown = rows(...Object.entries(record))
        expect(Object.entries(toRecord(shown))).toEqual(Object.entries(record))
        expect(shown.some((row) => isDuplicate(shown, row))).toBe(false)
      }),
    )
  })

  test('a row is a duplicate only of one above it', () => {
    const all = rows(['a', '1'], ['b', '2'], [' a', '3'], ['', '4'], ['', '5'])
    expect(all.map((row) => isDuplicate(all, row))).toEqual([false, false, true, false, false])
  })
})
