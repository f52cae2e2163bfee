import { bulkLimits } from '@leitstand/contract/bulk'
import { parse } from 'csv-parse/sync'
import { zipSync } from 'fflate'
import { type CellValue, readSheet } from 'read-excel-file/node'
import { zipEntries } from '../reader/zip.ts'

/** A file as rows of trimmed cells, without empty rows. */
export interface Table {
  header: string[]
  rows: string[][]
}

export type TableFault = 'BULK_FILE_UNREADABLE' | 'BULK_FILE_EMPTY' | 'BACKGROUND_JOB_TOO_LARGE'

/** The reason why a file cannot be read as a table; `detail` is for users who know the format. */
export class TableError extends Error {
  readonly code: TableFault
  constructor(code: TableFault, detail = '') {
    super(detail)
    this.code = code
  }
}

/**
 * Reads a CSV or XLSX file, detected by its first bytes. Runs in the reader process.
 * @param rowsMax files with more rows are refused
 * @throws TableError
 */
export async function readTable(bytes: Uint8Array, rowsMax: number): Promise<Table> {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  const raw = isZip ? await readXlsx(bytes) : readCsv(bytes, rowsMax)
  const [header = [], ...rows] = raw
    .map((row) => row.slice(0, bulkLimits.columnsMax).map(cleanCell))
    .filter((row) => row.some((cell) => cell !== ''))
  if (header.length === 0 || rows.length === 0) throw new TableError('BULK_FILE_EMPTY')
  if (rows.length > rowsMax) throw new TableError('BACKGROUND_JOB_TOO_LARGE')
  return { header, rows: rows.map((row) => header.map((_, at) => row[at] ?? '')) }
}

/** Cleans a cell. Our own exports put an apostrophe before text that a spreadsheet would run as a formula. */
function cleanCell(text: string): string {
  const cell = text
    .replaceAll('\u0000', '')
    .toWellFormed()
    .replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, '')
    .trim()
  return cell.slice(0, bulkLimits.cellLengthMax + 1)
}

function readCsv(bytes: Uint8Array, rowsMax: number): string[][] {
  const text = decode(bytes)
  const named = /^sep=(.)\r?\n/i.exec(text)
  const body = named ? text.slice(named[0].length) : text
  try {
    return parse(body, {
      delimiter: named?.[1] ?? separatorOf(body),
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: bulkLimits.columnsMax * bulkLimits.cellLengthMax,
      // One line more than header and rows shows that there are too many.
      to: rowsMax + 2,
    })
  } catch (error) {
    throw new TableError('BULK_FILE_UNREADABLE', error instanceof Error ? error.message : '')
  }
}

/** UTF-16 by its byte order mark, UTF-8 if valid, else Windows-1252, which older spreadsheets write. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const separators = [';', ',', '\t'] as const

/** The most frequent separator of the header row, outside of quotes; a semicolon if there is none. */
export function separatorOf(text: string): string {
  const counts = new Map<string, number>()
  let isQuoted = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (char === '\n') break
    counts.set(char, (counts.get(char) ?? 0) + 1)
  }
  return separators.reduce((best, each) => ((counts.get(each) ?? 0) > (counts.get(best) ?? 0) ? each : best))
}

async function readXlsx(bytes: Uint8Array): Promise<string[][]> {
  try {
    const cells = await readSheet(Buffer.from(unpacked(bytes)), { parseNumber: exactly })
    return cells.map((row) => row.map(cellText))
  } catch (error) {
    if (error instanceof TableError) throw error
    throw new TableError('BULK_FILE_UNREADABLE', error instanceof Error ? error.message : '')
  }
}

/** Maximum archive entries, far more than a spreadsheet has. */
const entriesMax = 2_000

/** Repacks the XML parts of the archive without compression, after checking their unpacked size. */
function unpacked(bytes: Uint8Array): Uint8Array {
  const entries = zipEntries(bytes, entriesMax).filter(({ name }) => /\.(xml|rels)$/.test(name))
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  if (total > bulkLimits.unpackedBytesMax)
    throw new TableError('BULK_FILE_UNREADABLE', 'the file unpacks to too much')
  const parts = Object.fromEntries(entries.map(({ name, read }) => [name, read()]))
  if (!Object.hasOwn(parts, 'xl/workbook.xml'))
    throw new TableError('BULK_FILE_UNREADABLE', 'an archive, but no XLSX file')
  for (const part of Object.values(parts)) refuseEntities(part)
  return zipSync(parts, { level: 0 })
}

/** Refuses document types: spreadsheets have none, and they allow entity expansion attacks. */
function refuseEntities(part: Uint8Array): void {
  if (Buffer.from(part.buffer, part.byteOffset, Math.min(part.byteLength, 4096)).includes('<!DOCTYPE'))
    throw new TableError('BULK_FILE_UNREADABLE', 'a document type is not allowed')
}

/** Keeps all digits of integers, because external ids may exceed the precision of numbers. */
function exactly(text: string): string {
  return /^-?\d+$/.test(text) ? text : String(Number(text))
}

function cellText(cell: CellValue<string> | Date | null): string {
  if (cell === null) return ''
  if (cell instanceof Date) return cell.toISOString()
  return String(cell)
}
