import { bulkLimits } from '@leitstand/contract/bulk'
import * as z from 'zod'
import type { ReadTask } from '../../platform/reader/index.ts'

/**
 * Limits of the parts in which a table is transferred, stored and read, so that no part blocks the process.
 */
export const tableLimits = {
  rowsOfPartMax: 500,
  /** a single row may exceed this */
  charsOfPartMax: 200_000,
} as const

const cells = z.array(z.string().max(bulkLimits.cellLengthMax + 1)).max(bulkLimits.columnsMax)
const TablePart = z.union([
  z.strictObject({ header: cells.min(1) }),
  z.strictObject({ rows: z.array(cells).min(1).max(tableLimits.rowsOfPartMax) }),
])
export type TablePart = z.infer<typeof TablePart>

/** Reads a CSV or XLSX file. */
export const tableTask: ReadTask<{ rowsMax: number }, TablePart> = {
  name: 'table',
  module: new URL('./reading.ts', import.meta.url),
  part: TablePart,
  // At worst one row per part, and the header.
  partsMax: bulkLimits.devicesMax + 1,
  refusals: ['BULK_FILE_UNREADABLE', 'BULK_FILE_EMPTY', 'BACKGROUND_JOB_TOO_LARGE'],
}
