import type { FileFormat } from '@leitstand/contract/common'
import { byteOrderMark, csvLine, separatorOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type TableColumn, tableFormats } from '../../platform/tableFiles/index.ts'
import { type XlsxCell, xlsxFile, xlsxType } from '../../platform/xlsx.ts'
import { clockIn, csvRow, cut, type FileOptions, headerOf, storedCell, xlsxRow } from './csv.ts'
import { type HistoryRow, historyPages } from './pages.ts'
import type { SeriesHead } from './store.ts'

/** The values of states as lines of a CSV file, read page by page as the consumer pulls them. */
export async function* csvLines(
  db: Executor,
  heads: readonly SeriesHead[],
  range: { start: Date | null; end: Date | null },
  options: FileOptions,
): AsyncGenerator<string> {
  const { language, rowsMax } = options
  const separator = separatorOf(language)
  const timeOf = clockIn(heads[0]?.timeZone ?? 'UTC')
  yield byteOrderMark + csvLine(headerOf(heads, options), separator)
  const pages = historyPages(db, heads, range, rowsMax)
  for (;;) {
    const { done, value: page } = await pages.next()
    if (done) {
      if (page) yield csvLine([cut[language](rowsMax)], separator)
      return
    }
    yield page.map((row) => csvLine(csvRow(row, options, timeOf), separator)).join('')
  }
}

/** The same as an XLSX file, with real times and numbers. */
function xlsxPieces(
  db: Executor,
  heads: readonly SeriesHead[],
  range: { start: Date | null; end: Date | null },
  options: FileOptions & { sheet: string },
): AsyncGenerator<Uint8Array> {
  const { language, rowsMax, withKeys, sheet } = options
  const timeZone = heads[0]?.timeZone ?? 'UTC'
  async function* rows(): AsyncGenerator<XlsxCell[][]> {
    const pages = historyPages(db, heads, range, rowsMax)
    for (;;) {
      const { done, value: page } = await pages.next()
      if (done) {
        if (page) yield [[cut[language](rowsMax)]]
        return
      }
      yield page.map((row) => xlsxRow(row, options, timeZone))
    }
  }
  const widths = withKeys ? [20, 30, 30, 20, 14, 10] : [20, 30, 24]
  return xlsxFile({ sheet, header: headerOf(heads, options), widths }, rows())
}

/** What files for programs have of a value: its state as well, so that files of several states can be put together. */
const programColumns: readonly TableColumn<HistoryRow>[] = [
  { name: 'time', title: 'time', type: 'time', cell: ({ time }) => time },
  { name: 'object', title: 'object', type: 'text', cell: ({ head }) => head.twinTitle },
  { name: 'state', title: 'state', type: 'text', cell: ({ head }) => head.title },
  { name: 'stateId', title: 'stateId', type: 'id', cell: ({ head }) => head.stateId },
  { name: 'key', title: 'key', type: 'text', cell: ({ head }) => head.key },
  { name: 'value', title: 'value', type: 'value', cell: ({ value }) => storedCell(value) },
  { name: 'unit', title: 'unit', type: 'text', cell: ({ head }) => head.unit },
]

/** The values of states in a format, written as the consumer pulls them. */
export function valuesIn(
  format: FileFormat,
  db: Executor,
  heads: readonly SeriesHead[],
  range: { start: Date | null; end: Date | null },
  options: FileOptions & { sheet: string },
): { type: string; pieces: AsyncGenerator<string | Uint8Array> } {
  switch (format) {
    case 'csv':
      return { type: 'text/csv; charset=utf-8', pieces: csvLines(db, heads, range, options) }
    case 'xlsx':
      return { type: xlsxType, pieces: xlsxPieces(db, heads, range, options) }
    default: {
      const { type, pieces } = tableFormats[format]
      const { language, rowsMax, sheet: title } = options
      const pages = historyPages(db, heads, range, rowsMax)
      return { type, pieces: pieces({ title, columns: programColumns, language, pages, cut: null }) }
    }
  }
}
