import { type XlsxCell, xlsxFile, xlsxType } from '../xlsx.ts'
import type { CellType, TableCell, TableFormat } from './types.ts'

const widths: Record<CellType, number> = { time: 20, id: 10, number: 14, text: 28, value: 14 }

/** One sheet with real numbers and times; these in UTC. */
export const xlsx: TableFormat = {
  type: xlsxType,
  pieces({ title, columns, pages, cut }) {
    async function* cells(): AsyncGenerator<XlsxCell[][]> {
      for await (const rows of pages) yield rows.map((row) => columns.map(({ cell }) => xlsxCell(cell(row))))
      if (cut !== null) yield [[cut]]
    }
    return xlsxFile(
      {
        sheet: title,
        header: columns.map((column) => column.title),
        widths: columns.map(({ type, width }) => width ?? widths[type]),
      },
      cells(),
    )
  },
}

const xlsxCell = (cell: TableCell): XlsxCell => (cell instanceof Date ? { wallMs: cell.getTime() } : cell)
