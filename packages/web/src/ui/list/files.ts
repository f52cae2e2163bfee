import i18next from 'i18next'
import { notifyWarning } from '../feedback/notify.ts'
import { type CsvCell, download, exportRows, toCsv } from './csv.ts'
import type { ListColumn, ListParams, Page } from './types.ts'

/** What a list can be downloaded as. */
export const fileFormats = ['csv', 'xlsx', 'jsonl', 'parquet'] as const
export type FileFormat = (typeof fileFormats)[number]

/** Names that are the same in every language. */
export const formatNames: Readonly<Record<FileFormat, string>> = {
  csv: 'CSV',
  xlsx: 'Excel (XLSX)',
  jsonl: 'JSON Lines',
  parquet: 'Parquet',
}

/** A list that the server has written as a file. */
export interface WrittenFile {
  headers?: { 'x-rows-left-out'?: string | undefined }
  body?: unknown
}

/** Saves a file that the server has written, and says if rows are missing. @param name without extension */
export function saveWritten(name: string, format: FileFormat, { headers, body }: WrittenFile): void {
  if (!(body instanceof Blob)) throw new Error('the server sent no file')
  download(`${name}.${format}`, body)
  if (headers?.['x-rows-left-out']) notifyWarning(i18next.t('list.fileNotWhole'))
}

type Cell = Exclude<CsvCell, undefined | { plain: string }>

/** Rows as a file, with the titles of the columns. A column that is named like an earlier one gets a number. */
export async function toFile(
  format: FileFormat,
  header: readonly string[],
  rows: readonly (readonly (Cell | undefined)[])[],
): Promise<Blob> {
  switch (format) {
    case 'csv':
      return new Blob([toCsv(header, rows)], { type: 'text/csv;charset=utf-8' })
    case 'xlsx': {
      const { default: writeExcelFile } = await import('write-excel-file/universal')
      const sheet = [
        header.map((title) => ({ value: title, fontWeight: 'bold' as const })),
        ...rows.map((row) => row.map((cell) => cell ?? null)),
      ]
      return writeExcelFile(sheet, { stickyRowsCount: 1 }).toBlob()
    }
    case 'jsonl': {
      const titles = distinct(header)
      const lines = rows.map((row) =>
        JSON.stringify(Object.fromEntries(titles.map((title, index) => [title, row[index] ?? null]))),
      )
      return new Blob([lines.map((line) => `${line}\n`).join('')], { type: 'application/jsonl' })
    }
    case 'parquet': {
      const { parquetWriteBuffer } = await import('hyparquet-writer')
      const columnData = distinct(header).map((name, index) => parquetColumn(name, rows, index))
      return new Blob([parquetWriteBuffer({ columnData })], { type: 'application/vnd.apache.parquet' })
    }
  }
}

/** A column of numbers, unless a text is among them. */
function parquetColumn(name: string, rows: readonly (readonly (Cell | undefined)[])[], index: number) {
  const cells = rows.map((row) => row[index] ?? null)
  const isNumeric = cells.some((cell) => cell !== null) && cells.every((cell) => typeof cell !== 'string')
  return isNumeric
    ? { name, type: 'DOUBLE' as const, data: cells, nullable: true }
    : { name, type: 'STRING' as const, data: cells.map((cell) => cell?.toString() ?? null), nullable: true }
}

function distinct(titles: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return titles.map((title) => {
    const count = (seen.get(title) ?? 0) + 1
    seen.set(title, count)
    return count === 1 ? title : `${title} ${count}`
  })
}

/**
 * All rows that match the list's filter, in its order, as a file of the shown columns.
 * @returns whether rows beyond `rowsMax` were left out
 */
export async function exportList<Row>(options: {
  format: FileFormat
  name: string
  columns: readonly ListColumn<Row>[]
  params: ListParams
  load: (params: ListParams) => Promise<Page<Row>>
  rowsMax: number
}): Promise<{ cut: boolean }> {
  const columns = options.columns.filter((column) => column.csv !== undefined)
  const { rows, cut } = await exportRows<Row>({
    load: (offset, limit) => options.load({ ...options.params, offset, limit }),
    rowsMax: options.rowsMax,
  })
  const cells = rows.map((row) => columns.map((column) => column.csv?.(row)))
  const header = columns.map((column) => column.title)
  download(`${options.name}.${options.format}`, await toFile(options.format, header, cells))
  return { cut }
}
