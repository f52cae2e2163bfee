import { exportLimits } from '@leitstand/contract/exports'
import { Moment } from '../columns.ts'
import { isoIn } from './cells.ts'
import type { Format } from './types.ts'

/** An object for each row, with times in ISO 8601 and values as they are. */
export const jsonl: Format = {
  ending: 'jsonl',
  type: 'application/jsonl',
  rowsMax: exportLimits.rowsMax,
  head: () => '',
  lines: (rows, { columns, params }) =>
    rows
      .map((row) => {
        const cells = columns.map((column) => {
          const { cell } = column.cell(row)
          return [
            column.name,
            cell instanceof Moment ? isoIn(cell.timeMs, params.formatting.timeZone) : cell,
          ] as const
        })
        return `${JSON.stringify(Object.fromEntries(cells))}\n`
      })
      .join(''),
  cut: () => '',
}
