import { setImmediate as turn } from 'node:timers/promises'
import type { JsonValue } from '@leitstand/contract/common'
import { Moment } from '../columns.ts'
import type { ExportRow } from '../page.ts'
import type { Sheet } from './types.ts'

/** Rows as stored for formats that are written at the end: a line of JSON each, times in milliseconds since 1970. */
export function storedLines(rows: readonly ExportRow[], { columns }: Sheet): string {
  return rows
    .map((row) => {
      const cells = columns.map((column) => {
        const { cell } = column.cell(row)
        return cell instanceof Moment ? cell.timeMs : cell
      })
      return `${JSON.stringify(cells)}\n`
    })
    .join('')
}

/** Rows that are handed out at once: few enough that whatever is made of them holds up nothing else. */
const rowsAtOnce = 500

/** The same, read back some hundred rows at a time. */
export async function* storedRows(texts: AsyncIterable<string>): AsyncGenerator<JsonValue[][]> {
  for await (const text of texts) {
    const lines = text.split('\n').filter((line) => line !== '')
    for (let at = 0; at < lines.length; at += rowsAtOnce) {
      yield lines.slice(at, at + rowsAtOnce).map((line) => JSON.parse(line) as JsonValue[])
      await turn()
    }
  }
}
