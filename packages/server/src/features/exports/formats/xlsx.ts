import type { JsonValue } from '@leitstand/contract/common'
import { exportLimits } from '@leitstand/contract/exports'
import { type XlsxCell, xlsxFile, xlsxType } from '../../../platform/xlsx.ts'
import type { Column } from '../columns.ts'
import { wallMs } from './cells.ts'
import { cutText } from './csv.ts'
import { storedLines, storedRows } from './stored.ts'
import type { Format } from './types.ts'

const widths: Record<Column['type'], number> = { time: 20, id: 10, text: 28, value: 14 }

/** One sheet, with real times and numbers. */
export const xlsx: Format = {
  ending: 'xlsx',
  type: xlsxType,
  rowsMax: exportLimits.xlsxRowsMax,
  head: () => '',
  lines: storedLines,
  cut: (rows, { params: { formatting } }) => `${JSON.stringify([cutText(rows, formatting)])}\n`,
  build(texts, { columns, params: { formatting, name } }) {
    async function* pages(): AsyncGenerator<XlsxCell[][]> {
      for await (const rows of storedRows(texts))
        yield rows.map((row) => row.map((cell, at) => xlsxCell(cell, columns[at]?.type, formatting.timeZone)))
    }
    return xlsxFile(
      {
        sheet: name,
        header: formatting.header ? columns.map(({ title }) => title) : null,
        widths: columns.map(({ type }) => widths[type]),
      },
      pages(),
    )
  },
}

function xlsxCell(cell: JsonValue, type: Column['type'] | undefined, timeZone: string): XlsxCell {
  if (type === 'time' && typeof cell === 'number') return { wallMs: wallMs(cell, timeZone) }
  return typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell
}
