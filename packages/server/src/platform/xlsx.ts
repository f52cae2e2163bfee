import { strToU8, Zip, ZipDeflate, ZipPassThrough } from 'fflate'

/** `wallMs`: a time as its wall clock shows it, in milliseconds as if it were UTC. */
export type XlsxCell = string | number | boolean | null | { wallMs: number }

const textLengthMax = 32_767

const dayMs = 86_400_000
/** Added to times, since days as floating-point numbers miss them slightly and readers cut off the rest. */
const roundingMs = 0.01
/** 1 January 1970 in days since the beginning of the spreadsheet's calendar. */
const epochDays = 25_569

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
export const xlsxType = `${contentType}.sheet`

/** Parts that are the same in every file. Styles: 0 plain, 1 date with time, 2 bold. */
const fixedParts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentType}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${contentType}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`,
}

/**
 * An XLSX file with one sheet, written piece by piece: only what the consumer has not taken yet is in memory. Texts are
 * never formulas.
 * @param pages rows of cells, in pages; Excel reads up to 1 048 576, the header included
 */
export async function* xlsxFile(
  {
    sheet,
    header,
    widths,
  }: {
    sheet: string
    /** null: no titles, the rows begin at once */
    header: readonly string[] | null
    widths: readonly number[]
  },
  pages: AsyncIterable<readonly (readonly XlsxCell[])[]>,
): AsyncGenerator<Uint8Array> {
  const written: Uint8Array[] = []
  let failure: Error | null = null
  const zip = new Zip((error, bytes) => {
    if (error) failure = error
    else written.push(bytes)
  })
  const take = (): Uint8Array[] => {
    if (failure !== null) throw failure
    return written.splice(0)
  }
  for (const [name, xml] of Object.entries({ ...fixedParts, 'xl/workbook.xml': workbook(sheet) })) {
    const file = new ZipPassThrough(name)
    zip.add(file)
    file.push(strToU8(declaration + xml), true)
  }
  const rows = new ZipDeflate('xl/worksheets/sheet1.xml', { level: 4 })
  zip.add(rows)
  const columns = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  )
  rows.push(
    strToU8(
      `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">${header ? '<pane ySplit="1" topLeftCell="A2" state="frozen"/>' : ''}</sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>${header ? rowXml(header, 1, 2) : ''}`,
    ),
  )
  yield* take()
  let row = header ? 1 : 0
  for await (const page of pages) {
    rows.push(strToU8(page.map((cells) => rowXml(cells, ++row)).join('')))
    yield* take()
  }
  rows.push(strToU8('</sheetData></worksheet>'), true)
  zip.end()
  yield* take()
}

function workbook(sheet: string): string {
  return `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="${escaped(sheetName(sheet))}" sheetId="1" r:id="rId1"/></sheets></workbook>`
}

/** A sheet has no more than 31 characters, none of some signs, and a name. */
function sheetName(title: string): string {
  const name = title
    .replace(/[\\/?*[\]:]/g, ' ')
    .slice(0, 31)
    .toWellFormed()
    .trim()
  return name.replace(/^'+|'+$/g, '') || 'Sheet'
}

function rowXml(cells: readonly XlsxCell[], row: number, style = 0): string {
  // Some readers need the name of each cell, such as B7.
  const named = cells.map((cell, column) => cellXml(cell, `r="${columnName(column)}${row}"`, style))
  return `<row r="${row}">${named.join('')}</row>`
}

/** A to Z, then AA. */
function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter
}

function cellXml(cell: XlsxCell, name: string, style: number): string {
  if (cell === null) return `<c ${name}/>`
  if (typeof cell === 'number')
    return Number.isFinite(cell) ? `<c ${name}><v>${cell}</v></c>` : `<c ${name}/>`
  if (typeof cell === 'boolean') return `<c ${name} t="b"><v>${cell ? 1 : 0}</v></c>`
  if (typeof cell === 'object')
    return `<c ${name} s="1"><v>${(cell.wallMs + roundingMs) / dayMs + epochDays}</v></c>`
  return `<c ${name} t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(cell.slice(0, textLengthMax))}</t></is></c>`
}

/** Characters that XML does not know. */
const unknownToXml = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(unknownToXml, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
