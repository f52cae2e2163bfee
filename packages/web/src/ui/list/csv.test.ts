import { expect, test } from 'vitest'
import { csvCell, csvStyle, exportRows, toCsv } from './csv.ts'

const german = csvStyle('de')

test.each([
  [21.5, '21,5'],
  ['plain', 'plain'],
  ['a;b', '"a;b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['-5 °C', "'-5 °C"],
  [null, ''],
])('%j is written as %s for a German spreadsheet', (value, text) => {
  expect(csvCell(value, german)).toBe(text)
})

test('English uses commas and points', () => {
  expect(toCsv(['a', 'b'], [[1.5, 'x,y']], csvStyle('en'))).toBe('\uFEFFa,b\r\n1.5,"x,y"\r\n')
})

test('all pages are read up to the limit', async () => {
  const total = 1203
  const asked: number[] = []
  const { rows, cut } = await exportRows<number>({
    rowsMax: 1000,
    pageSize: 500,
    load: async (offset, limit) => {
      asked.push(offset)
      return {
        items: Array.from({ length: Math.min(limit, total - offset) }, (_, index) => offset + index),
        total,
        offset,
        limit,
      }
    },
  })
  expect(asked).toEqual([0, 500])
  expect(rows).toHaveLength(1000)
  expect(cut).toBe(true)
})
