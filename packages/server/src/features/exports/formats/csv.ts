import { exportLimits } from '@leitstand/contract/exports'
import { byteOrderMark, type CsvCell, csvLine, separatorOf } from '../../../platform/csv.ts'
import { numberText } from '../../series/index.ts'
import { type ExportCell, Moment } from '../columns.ts'
import type { ExportParams } from '../params.ts'
import { isoIn, wallMs } from './cells.ts'
import type { Format, Sheet } from './types.ts'

type Formatting = ExportParams['formatting']

/** CSV as spreadsheets read it. */
export const csv: Format = {
  ending: 'csv',
  type: 'text/csv; charset=utf-8',
  rowsMax: exportLimits.rowsMax,
  head: ({ columns, params: { formatting } }) =>
    byteOrderMark +
    (formatting.header
      ? csvLine(
          columns.map(({ title }) => title),
          separatorFor(formatting),
        )
      : ''),
  lines(rows, { columns, params: { formatting } }) {
    const separator = separatorFor(formatting)
    return rows
      .map((row) =>
        csvLine(
          columns.map((column) => {
            const { cell, decimals } = column.cell(row)
            return csvCell(cell, decimals, formatting)
          }),
          separator,
        ),
      )
      .join('')
  },
  cut: (rows, { params: { formatting } }: Sheet) =>
    csvLine([cutText(rows, formatting)], separatorFor(formatting)),
}

/** The last line of a file that does not have everything. */
export function cutText(rows: number, { language }: Pick<Formatting, 'language'>): string {
  return language === 'de'
    ? `Nach ${rows} Zeilen gekürzt. Grenzen Sie die Auswahl oder den Zeitraum ein.`
    : `Cut after ${rows} rows. Narrow the selection or the period.`
}

const separatorFor = ({ separator, language }: Formatting) => separator ?? separatorOf(language)

function csvCell(cell: ExportCell, decimals: number | null, formatting: Formatting): CsvCell {
  if (cell instanceof Moment) return { plain: timeText(cell.timeMs, formatting) }
  if (typeof cell === 'number') {
    const text = decimals === null ? String(cell) : numberText(cell, decimals)
    const decimal = formatting.decimal ?? (formatting.language === 'de' ? ',' : '.')
    return { plain: decimal === ',' ? text.replace('.', ',') : text }
  }
  return cell === null || typeof cell === 'string' ? cell : { plain: JSON.stringify(cell) }
}

function timeText(timeMs: number, { timeFormat, timeZone }: Formatting): string {
  switch (timeFormat) {
    case 'milliseconds':
      return String(timeMs)
    case 'iso':
      return isoIn(timeMs, timeZone)
    default: {
      const iso = new Date(wallMs(timeMs, timeZone)).toISOString()
      const time = iso.slice(11, 19)
      if (timeFormat === 'local') return `${iso.slice(0, 10)} ${time}`
      return `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)} ${time}`
    }
  }
}
