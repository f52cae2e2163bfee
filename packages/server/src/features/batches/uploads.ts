import { randomUUID } from 'node:crypto'
import { bulkLimits } from '@leitstand/contract/bulk'
import type { CellFault } from '@leitstand/contract/jobs'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { storableText } from '../../platform/storable.ts'
import type { NewJobRow } from '../jobs/index.ts'
import { homeAccountOf } from '../people/index.ts'
import { insertUpload, type Upload } from './store.ts'
import { tableTask } from './task.ts'

const examplesMax = 3
const exampleLengthMax = 60
/** Number of the first data row; row 1 is the header. */
const firstRow = 2

/** An uploaded table, with the first values of its columns. */
interface TakenFile {
  id: string
  fileName: string
  rows: number
  columns: { title: string; examples: string[] }[]
}

/**
 * Reads a CSV or XLSX file and keeps it until it is imported.
 * @throws AppError BULK_FILE_UNREADABLE, BULK_FILE_EMPTY, BACKGROUND_JOB_TOO_LARGE, FILE_TOO_DEMANDING, OVERLOADED
 */
export async function takeFile(
  { db, clock, reader }: Context,
  caller: Caller,
  file: File,
): Promise<TakenFile> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const accountId = await homeAccountOf(db, caller)
  const answer = await reader.read(tableTask, { bytes, accountId, input: { rowsMax: bulkLimits.devicesMax } })
  const header = answer.flatMap((part) => ('header' in part ? part.header : []))
  const parts = answer.flatMap((part) => ('rows' in part ? [part.rows] : []))
  const upload: Upload = { id: randomUUID(), fileName: storableText(file.name.slice(0, 200)), header }
  await db.transaction().execute((tx) => insertUpload(tx, { ...upload, parts }, caller.userId, clock.now()))
  return {
    id: upload.id,
    fileName: upload.fileName,
    rows: parts.reduce((sum, { length }) => sum + length, 0),
    columns: header.map((title, at) => ({ title, examples: examplesOf(parts, at) })),
  }
}

/** The first values of a column. */
function examplesOf(parts: readonly string[][][], column: number): string[] {
  const examples: string[] = []
  for (const rows of parts)
    for (const row of rows) {
      const cell = row[column] ?? ''
      if (cell !== '') examples.push(cell.slice(0, exampleLengthMax).toWellFormed())
      if (examples.length === examplesMax) return examples
    }
  return examples
}

interface Checked {
  title: string
  faults: CellFault[]
}

/** The result of a dry run, with the first faulty rows. */
export function faultyOf(checked: readonly Checked[]) {
  const faulty = checked
    .map(({ title, faults }, at) => ({ row: at + firstRow, title, faults }))
    .filter(({ faults }) => faults.length > 0)
  return {
    rows: checked.length,
    valid: checked.length - faulty.length,
    faulty: faulty.length,
    faults: faulty.slice(0, bulkLimits.faultsMax),
  }
}

/** @throws AppError BULK_ROWS_FAULTY, also when none is left */
export function refuseFaulty(checked: readonly Checked[], skipFaulty: boolean): void {
  const { rows, valid, faulty } = faultyOf(checked)
  if (faulty > 0 && (!skipFaulty || valid === 0)) throw new AppError('BULK_ROWS_FAULTY', { faulty, rows })
}

/** The rows of an import job; faulty ones are in its result and are not processed. */
export function importRowsOf(
  checked: readonly Checked[],
  cells: readonly (readonly string[])[],
): NewJobRow[] {
  return checked.map(({ title, faults }, at) => ({
    row: at + firstRow,
    objectId: null,
    title,
    cells: [...(cells[at] ?? [])],
    faults,
  }))
}
