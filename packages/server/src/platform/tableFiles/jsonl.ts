import type { TableFormat } from './types.ts'

/** An object for each row, times in ISO 8601. */
export const jsonl: TableFormat = {
  type: 'application/jsonl',
  async *pieces({ columns, pages }) {
    for await (const rows of pages) {
      const lines = rows.map(
        (row) =>
          `${JSON.stringify(Object.fromEntries(columns.map(({ name, cell }) => [name, cell(row)])))}\n`,
      )
      yield lines.join('')
    }
  },
}
