import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { csvCell, csvStyle, exportRows, toCsv } from './csv.ts'
import { exportList } from './files.ts'
import type { ListParams } from './types.ts'

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
        fc.pre(rows.every((row) => row.every((cell) => !/^[=+\-@\t\r\n＝＋－＠]/.test(cell))))
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

describe('a list that the server does not count to its end', () => {
  const countMax = 10
  /** The server counts up to `countMax` rows and reports that there are more. */
  const server = (rows: number) => async (offset: number, limit: number) => ({
    items: Array.from({ length: Math.max(0, Math.min(limit, rows - offset)) }, (_, index) => offset + index),
    total: Math.min(rows, countMax),
    more: rows > countMax,
    offset,
    limit,
  })

  test.each([
    ['fewer rows than it counts', 7, 100, 7, false],
    ['as many rows as it counts', 10, 100, 10, false],
    ['more rows than it counts', 37, 100, 37, false],
    ['more rows than a file may have', 37, 20, 20, true],
    ['more rows than a file of as many as it counts may have', 37, 10, 10, true],
  ])('with %s', async (_name, rows, rowsMax, count, isCut) => {
    const read = await exportRows({ load: server(rows), rowsMax, pageSize: 5 })
    expect(read.rows).toEqual(Array.from({ length: count }, (_, index) => index))
    expect(read.cut).toBe(isCut)
  })
})

describe('the file of a list', () => {
  const files: { name: string; text: Promise<string> }[] = []
  beforeEach(() => {
    files.length = 0
    let content: Blob | undefined
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      content = blob as Blob
      return 'blob:1'
    })
    vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined)
    const anchor = {
      href: '',
      download: '',
      click: () => files.push({ name: anchor.download, text: content?.text() ?? Promise.resolve('') }),
    }
    vi.stubGlobal('document', { createElement: () => anchor })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })

  const columns = [
    { key: 'title', title: 'Titel', render: () => null, csv: (row: { title: string }) => row.title },
    { key: 'button', title: 'Aktion', render: () => null },
    { key: 'count', title: 'Anzahl', render: () => null, csv: (row: { count: number | null }) => row.count },
  ]
  const params = {
    offset: 40,
    limit: 20,
    search: 'x',
    accountIds: undefined,
    orderBy: '-title',
    favorites: false,
    filters: {},
  }
  type Row = { title: string; count: number | null }
  const load =
    (rows: Row[], asked: ListParams[] = []) =>
    async (wanted: ListParams) => {
      asked.push(wanted)
      const items = rows.slice(wanted.offset, wanted.offset + wanted.limit)
      return { items, total: rows.length, offset: wanted.offset, limit: wanted.limit }
    }

  test('has the columns with a value, all rows, and no formula that runs', async () => {
    const rows = [
      { title: '=HYPERLINK("http://evil")', count: 1.5 },
      { title: 'Größe; "XL"', count: null },
    ]
    const { cut } = await exportList<Row>({
      format: 'csv',
      name: 'geräte',
      columns,
      params,
      load: load(rows),
      rowsMax: 100,
    })
    expect(cut).toBe(false)
    expect(files.map(({ name }) => name)).toEqual(['geräte.csv'])
    const lines = (await files[0]?.text)?.split('\r\n') ?? []
    expect(lines[0]).toMatch(/Titel[;,]Anzahl$/)
    expect(lines[1]).toMatch(/'=HYPERLINK/)
    expect(lines[2]).toMatch(/^"Größe; ""XL"""[;,]$/)
    expect(lines).toHaveLength(4)
  })

  test('starts with the first row whatever page is shown, in the order and with the filter of the list', async () => {
    const asked: ListParams[] = []
    await exportList<Row>({
      format: 'csv',
      name: 'x',
      columns,
      params,
      load: load([{ title: 'a', count: 1 }], asked),
      rowsMax: 100,
    })
    expect(asked).toEqual([{ ...params, offset: 0, limit: 1000 }])
  })

  test('reports that rows were left out', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({ title: String(index), count: index }))
    await expect(
      exportList<Row>({ format: 'csv', name: 'x', columns, params, load: load(rows), rowsMax: 20 }),
    ).resolves.toEqual({ cut: true })
    expect((await files[0]?.text)?.trim().split('\r\n')).toHaveLength(21)
  })

  test('is not written if a page cannot be read', async () => {
    const broken = () => Promise.reject(new Error('offline'))
    await expect(
      exportList<Row>({ format: 'csv', name: 'x', columns, params, load: broken, rowsMax: 20 }),
    ).rejects.toThrow('offline')
    expect(files).toEqual([])
  })
})
