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

/** The same, read back piece by piece. */
export async function* storedRows(texts: AsyncIterable<string>): AsyncGenerator<JsonValue[][]> {
  for await (const text of texts)
    yield text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonValue[])
}
