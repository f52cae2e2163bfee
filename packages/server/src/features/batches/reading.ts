/** Reads tables. Runs in the reader process, because uploaded spreadsheets are untrusted. */
import { bulkLimits } from '@leitstand/contract/bulk'
import { AppError } from '../../platform/errors.ts'
import { readTable, TableError } from '../../platform/tables/table.ts'
import { type TablePart, tableLimits } from './task.ts'

/**
 * The header row, then the rows in parts.
 * @throws AppError BULK_FILE_UNREADABLE, BULK_FILE_EMPTY, BACKGROUND_JOB_TOO_LARGE
 */
export default async function* read(
  bytes: Uint8Array,
  { rowsMax }: { rowsMax: number },
): AsyncGenerator<TablePart> {
  try {
    const { header, rows } = await readTable(bytes, rowsMax)
    yield { header }
    yield* pieces(rows)
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    throw new AppError(error.code, { detail: error.message, devicesMax: rowsMax })
  }
}

function* pieces(rows: readonly string[][]): Generator<TablePart> {
  let piece: string[][] = []
  let chars = 0
  let all = 0
  for (const row of rows) {
    const own = row.reduce((sum, cell) => sum + cell.length, 0)
    all += own
    if (all > bulkLimits.tableCharsMax) throw new TableError('BULK_FILE_UNREADABLE', 'it holds too much text')
    if (piece.length >= tableLimits.rowsOfPartMax || chars + own > tableLimits.charsOfPartMax) {
      if (piece.length > 0) yield { rows: piece }
      piece = []
      chars = 0
    }
    piece.push(row)
    chars += own
  }
  if (piece.length > 0) yield { rows: piece }
}
