import { bulkLimits } from '@leitstand/contract/bulk'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readTable, separatorOf } from './table.ts'

const csv = (text: string | Uint8Array, rowsMax = 100) =>
  readTable(typeof text === 'string' ? strToU8(text) : text, rowsMax)

/** A workbook with one sheet of these rows; cells are XML as a spreadsheet writes them. */
function xlsx(rows: string[], extra: Record<string, Uint8Array> = {}): Uint8Array {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const packageOf = 'http://schemas.openxmlformats.org/package/2006'
  return zipSync({
    '[Content_Types].xml': strToU8(`<Types xmlns="${packageOf}/content-types"></Types>`),
    '_rels/.rels': strToU8(
      `<Relationships xmlns="${packageOf}/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Devices" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships xmlns="${packageOf}/relationships"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(
      `<worksheet xmlns="${main}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
    ),
    ...extra,
  })
}

const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`
const row = (number: number, ...cells: string[]) => `<row r="${number}">${cells.join('')}</row>`

describe('a CSV file', () => {
  test.each([
    ['semicolons', 'a;b\n1;2'],
    ['commas', 'a,b\n1,2'],
    ['tabs', 'a\tb\n1\t2'],
    ['a byte order mark', '\uFEFFa;b\r\n1;2\r\n'],
    ['a line that names the separator', 'sep=|\na|b\n1|2'],
    ['blanks and empty lines', ' a ; b \n\n 1 ;2\n;\n'],
  ])('with %s', async (_, content) => {
    expect(await csv(content)).toEqual({ header: ['a', 'b'], rows: [['1', '2']] })
  })

  test('in UTF-8, Windows-1252 and UTF-16', async () => {
    const wanted = { header: ['Gerät', 'Größe'], rows: [['Öl', 'ß']] }
    const content = 'Gerät;Größe\nÖl;ß'
    expect(await csv(content)).toEqual(wanted)
    expect(await csv(Uint8Array.from(Buffer.from(content, 'latin1')))).toEqual(wanted)
    expect(await csv(Uint8Array.from(Buffer.from(`\uFEFF${content}`, 'utf16le')))).toEqual(wanted)
  })

  test('with quotes, separators and line ends in cells, and rows shorter or longer than the titles', async () => {
    const { rows } = await csv('a;b\n"x;""y""\nz";2\n3\n4;5;6')
    expect(rows).toEqual([
      ['x;"y"\nz', '2'],
      ['3', ''],
      ['4', '5'],
    ])
  })

  test('loses the apostrophe that keeps a spreadsheet from running a cell', async () => {
    expect((await csv("a;b\n'-9.5;'=x")).rows).toEqual([['-9.5', '=x']])
  })

  test('is cut to the columns and characters that are read', async () => {
    const columns = Array.from({ length: bulkLimits.columnsMax + 1 }, (_, at) => `c${at}`)
    const { header } = await csv(`${columns.join(';')}\n1`)
    expect(header).toEqual(columns.slice(0, -1))
    const { rows } = await csv(`a;b\n${'x'.repeat(bulkLimits.cellLengthMax + 5)};2`)
    expect(rows[0]?.[0]).toHaveLength(bulkLimits.cellLengthMax + 1)
  })

  test('may have as many rows as allowed', async () => {
    expect((await csv(`a\n${'1\n'.repeat(100)}`)).rows).toHaveLength(100)
  })

  test('may begin like an archive or like UTF-16', async () => {
    expect((await csv('Px;b\n1;2')).header).toEqual(['Px', 'b'])
    expect((await csv('xK;b\n1;2')).header).toEqual(['xK', 'b'])
    const latin = (...start: number[]) => csv(Uint8Array.from([...start, ...Buffer.from(';b\n1;2')]))
    expect((await latin(0xff, 0x61)).header).toEqual(['ÿa', 'b'])
    expect((await latin(0x61, 0xfe)).header).toEqual(['aþ', 'b'])
  })

  test('loses NUL and what is half a character; an apostrophe inside of a cell stays', async () => {
    expect((await csv("a;b\nx\u0000y;it's '=x")).rows).toEqual([['xy', "it's '=x"]])
  })

  test('names its separator only in the first line', async () => {
    expect(await csv('a;b\nsep=|\n1;2')).toEqual({
      header: ['a', 'b'],
      rows: [
        ['sep=|', ''],
        ['1', '2'],
      ],
    })
  })

  test('has the separator of its first line', () => {
    expect(separatorOf('a;b\nc,d,e,f')).toBe(';')
    expect(separatorOf('a\tb\tc;d')).toBe('\t')
  })

  test.each([
    ['without rows', 'a;b', 'BULK_FILE_EMPTY'],
    ['with nothing', '', 'BULK_FILE_EMPTY'],
    ['with a quote that does not end', 'a;b\n"1;2', 'BULK_FILE_UNREADABLE'],
    ['with too many rows', `a\n${'1\n'.repeat(101)}`, 'BACKGROUND_JOB_TOO_LARGE'],
  ])('%s is refused', async (_, content, code) => {
    await expect(csv(content)).rejects.toMatchObject({ code })
  })

  test.each([
    ['a,b;c;d', ';'],
    ['"a;b;c",d', ','],
    ['a', ';'],
  ])('%s is divided by %s', (line, separator) => {
    expect(separatorOf(line)).toBe(separator)
  })
})

describe('an XLSX file', () => {
  test('is read with every digit of its numbers', async () => {
    const bytes = xlsx([
      row(1, text('A1', 'Id'), text('B1', 'Breite'), text('C1', 'Ja')),
      row(
        2,
        '<c r="A2"><v>12345678901234567890</v></c>',
        '<c r="B2"><v>53.550000000000004</v></c>',
        '<c r="C2" t="b"><v>1</v></c>',
      ),
      row(4, text('A4', 'x'), '<c r="B4"><v>1E3</v></c>'),
    ])
    expect(await readTable(bytes, 100)).toEqual({
      header: ['Id', 'Breite', 'Ja'],
      rows: [
        ['12345678901234567890', '53.550000000000004', 'true'],
        ['x', '1000', ''],
      ],
    })
  })

  test('that unpacks to too much, brings a document type or is another archive is refused', async () => {
    const large = new Uint8Array(101 * 1_048_576)
    const title = row(1, text('A1', 'a'))
    const evil = '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>'
    for (const bytes of [
      xlsx([title], { 'xl/large.xml': large }),
      xlsx([title], { 'xl/evil.xml': strToU8(evil) }),
      zipSync({ 'notes.xml': strToU8('<x/>') }),
      strToU8('PK broken'),
    ])
      await expect(readTable(bytes, 100)).rejects.toMatchObject({ code: 'BULK_FILE_UNREADABLE' })
  })

  test.each([
    [{ 'xl/large.xml': new Uint8Array(101 * 1_048_576) }, /unpacks to too much/],
    [{ 'xl/evil.xml': strToU8('<!DOCTYPE x><x/>') }, /document type/],
  ])('is refused with its reason', async (extra, reason) => {
    const bytes = xlsx([row(1, text('A1', 'a'))], extra as Record<string, Uint8Array>)
    await expect(readTable(bytes, 100)).rejects.toThrow(reason)
  })

  test('that lacks a workbook is refused as another archive', async () => {
    await expect(readTable(zipSync({ 'notes.xml': strToU8('<x/>') }), 100)).rejects.toThrow(/no XLSX file/)
  })

  test('may have pictures, which are not unpacked', async () => {
    const rows = [row(1, text('A1', 'a')), row(2, text('A2', 'b'))]
    const picture = { 'xl/media/picture.xml.png': new Uint8Array(101 * 1_048_576) }
    expect(await readTable(xlsx(rows, picture), 100)).toEqual({ header: ['a'], rows: [['b']] })
  })
})
