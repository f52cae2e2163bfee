import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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

/** A reader of RFC 4180, to see what a spreadsheet would see. */
function cellsOf(csv: string, separator: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < csv.length; at++) {
    const char = csv.charAt(at)
    if (isQuoted && char === '"' && csv.charAt(at + 1) === '"') {
      cell += '"'
      at++
    } else if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && char === separator) {
      rows.at(-1)?.push(cell)
      cell = ''
    } else if (!isQuoted && csv.startsWith('\r\n', at)) {
      rows.at(-1)?.push(cell)
      cell = ''
      at++
      if (at + 1 < csv.length) rows.push([])
    } else cell += char
  }
  return rows
}

describe('what a spreadsheet reads', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'ß', '"', ';', ',', '\n', '\r', ' ', '🌡', "'", '.') })
  test.each(['de', 'en'])('are the cells as they were (%s)', (language) => {
    const style = csvStyle(language)
    fc.assert(
      fc.property(fc.array(fc.array(plain, { minLength: 2, maxLength: 2 }), { maxLength: 5 }), (rows) => {
        fc.pre(rows.every((row) => row.every((cell) => !/^[=+\-@\t\r]/.test(cell))))
        const csv = toCsv(['one', 'two'], rows, style)
        expect(csv.startsWith('\uFEFF')).toBe(true)
        expect(cellsOf(csv.slice(1), style.separator)).toEqual([['one', 'two'], ...rows])
      }),
    )
  })

  test('is never a formula', () => {
    const formula = fc
      .tuple(fc.constantFrom('=', '+', '-', '@', '\t', '\r'), fc.string())
      .map(([start, rest]) => start + rest)
    fc.assert(
      fc.property(formula, (text) => {
        expect(csvCell(text, german).replace(/^"/, '')).toMatch(/^'/)
      }),
    )
  })
})

describe('numbers', () => {
  test.each([
    [0, '0'],
    [-5.25, '-5,25'],
    [1e21, '1e+21'],
    [1234567.5, '1234567,5'],
  ])('%d is a number in a German spreadsheet: %s', (value, text) => {
    expect(csvCell(value, german)).toBe(text)
  })

  test('a decimal comma is quoted where commas separate', () => {
    expect(csvCell(1.5, { separator: ',', decimal: ',' })).toBe('"1,5"')
    expect(csvCell(1.5, csvStyle('en'))).toBe('1.5')
  })
})

describe('reading page by page', () => {
  const pages = (total: number, delivered = total) => {
    const asked: [number, number][] = []
    const load = async (offset: number, limit: number) => {
      asked.push([offset, limit])
      const left = Math.max(0, Math.min(limit, delivered - offset))
      return { items: Array.from({ length: left }, (_, index) => offset + index), total, offset, limit }
    }
    return { asked, load }
  }

  test.each([
    ['nothing', 0, 10, 5, [[0, 5]], 0, false],
    ['exactly one page', 5, 10, 5, [[0, 5]], 5, false],
    [
      'one more than a page',
      6,
      10,
      5,
      [
        [0, 5],
        [5, 5],
      ],
      6,
      false,
    ],
    [
      'exactly as many as allowed',
      10,
      10,
      5,
      [
        [0, 5],
        [5, 5],
      ],
      10,
      false,
    ],
    [
      'one more than allowed',
      11,
      10,
      5,
      [
        [0, 5],
        [5, 5],
      ],
      10,
      true,
    ],
    ['pages larger than allowed', 30, 10, 25, [[0, 25]], 10, true],
  ])('%s', async (_name, total, rowsMax, pageSize, expected, rowCount, isCut) => {
    const { asked, load } = pages(total)
    const { rows, cut } = await exportRows({ load, rowsMax, pageSize })
    expect(asked).toEqual(expected)
    expect(rows).toEqual(Array.from({ length: rowCount }, (_, index) => index))
    expect(cut).toBe(isCut)
  })

  test('ends when rows disappear meanwhile', async () => {
    const { asked, load } = pages(20, 7)
    const { rows } = await exportRows({ load, rowsMax: 100, pageSize: 5 })
    expect(rows).toHaveLength(7)
    expect(asked.map(([offset]) => offset)).toEqual([0, 5, 7])
  })

  test('passes the error of a page on', async () => {
    await expect(
      exportRows({
        load: async () => {
          throw new Error('offline')
        },
      }),
    ).rejects.toThrow('offline')
  })
})
