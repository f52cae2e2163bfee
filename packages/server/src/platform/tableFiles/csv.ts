import { byteOrderMark, type CsvCell, csvLine, separatorOf } from '../csv.ts'
import type { TableCell, TableFormat } from './types.ts'

/** CSV as spreadsheets read it, times in ISO 8601. */
export const csv: TableFormat = {
  type: 'text/csv; charset=utf-8',
  async *pieces({ columns, language, pages, cut }) {
    const separator = separatorOf(language)
    const titles = columns.map(({ title }) => title)
    yield byteOrderMark + csvLine(titles, separator)
    for await (const rows of pages) {
      const lines = rows.map((row) =>
        csvLine(
          columns.map(({ cell }) => csvCell(cell(row))),
          separator,
        ),
      )
      yield lines.join('')
    }
    if (cut !== null) yield csvLine([cut], separator)
  },
}

function csvCell(cell: TableCell): CsvCell {
  if (cell instanceof Date) return { plain: cell.toISOString() }
  return typeof cell === 'boolean' ? { plain: String(cell) } : cell
}
