/** Reads files of values. Runs in the reader process, because uploaded files are untrusted. */
import { valueUploadLimits } from '@leitstand/contract/stateValues'
import { AppError } from '../../../../platform/errors.ts'
import { readTable, type Table, TableError } from '../../../../platform/tables/table.ts'
import { type CellFault, columnsOf, type FileValue, valuesOf } from './rows.ts'
import { type ValuesInput, type ValuesPart, valuesOfPartMax } from './task.ts'

/** @throws AppError BULK_FILE_UNREADABLE, BULK_FILE_EMPTY, VALUE_UPLOAD_COLUMNS, VALUE_UPLOAD_TOO_LARGE */
export default async function* read(
  bytes: Uint8Array,
  { states, zone, only, bounds }: ValuesInput,
): AsyncGenerator<ValuesPart> {
  const { header, rows } = await tableOf(bytes)
  const columns = columnsOf(header, states, { zone, only })
  if (columns === null) throw new AppError('VALUE_UPLOAD_COLUMNS')
  const byKey = new Map(states.map((state) => [state.key, state]))
  const faults: (CellFault & { row: number })[] = []
  let faulty = 0
  let count = 0
  let part: FileValue[] = []
  const withoutZone = zoneRemover(bytes)
  for (const [index, row] of rows.entries()) {
    row[columns.time] = withoutZone(row[columns.time] ?? '')
    const found = valuesOf(row, header, columns, { byKey, bounds })
    faulty += found.faults.length
    const room = valueUploadLimits.faultsMax - faults.length
    for (const fault of found.faults.slice(0, room)) faults.push({ row: index + 2, ...fault })
    for (const value of found.values) {
      if (++count > valueUploadLimits.valuesMax) throw tooLarge()
      part.push(value)
      if (part.length < valuesOfPartMax) continue
      yield { values: part }
      part = []
    }
  }
  if (part.length > 0) yield { values: part }
  yield { found: { rows: rows.length, faulty, faults, ignored: columns.ignored } }
}

/** Times of a spreadsheet have no zone; the table has them as if they were UTC. */
export function zoneRemover(bytes: Uint8Array): (cell: string) => string {
  const isSheet = bytes[0] === 0x50 && bytes[1] === 0x4b
  return (cell) => (isSheet ? cell.replace(/(T[\d:]+)\.000Z$/, '$1') : cell)
}

export async function tableOf(bytes: Uint8Array): Promise<Table> {
  try {
    return await readTable(bytes, valueUploadLimits.rowsMax)
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    if (error.code === 'BACKGROUND_JOB_TOO_LARGE') throw tooLarge()
    throw new AppError(error.code, { detail: error.message })
  }
}

export function tooLarge(): AppError {
  const { rowsMax, valuesMax } = valueUploadLimits
  return new AppError('VALUE_UPLOAD_TOO_LARGE', { rowsMax, valuesMax })
}
