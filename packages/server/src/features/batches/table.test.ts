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
})
