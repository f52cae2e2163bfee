import { byteOrderMark, csvLine, separatorOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type XlsxCell, xlsxFile } from '../../platform/xlsx.ts'
import { clockIn, csvRow, cut, type FileOptions, headerOf, xlsxRow } from './csv.ts'
import { historyPages } from './pages.ts'
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
export function xlsxPieces(
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
