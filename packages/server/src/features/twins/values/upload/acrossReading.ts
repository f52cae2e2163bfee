/** Reads files of values across twins. Runs in the reader process, because uploaded files are untrusted. */
import { valueUploadLimits } from '@leitstand/contract/stateValues'
import { AppError } from '../../../../platform/errors.ts'
import { tableOf, tooLarge, zoneRemover } from './reading.ts'
import {
  type AcrossColumns,
  acrossColumnsOf,
  type CellFault,
  cellTime,
  cellValue,
  type FileValue,
} from './rows.ts'
import { type AcrossInput, type AcrossPart, type Target, targetLengthMax, valuesOfPartMax } from './task.ts'

/** @throws AppError BULK_FILE_UNREADABLE, BULK_FILE_EMPTY, VALUE_UPLOAD_TWIN_COLUMN, VALUE_UPLOAD_TOO_LARGE */
export default async function* read(
  bytes: Uint8Array,
  { zone, bounds, targets }: AcrossInput,
): AsyncGenerator<AcrossPart> {
  const { header, rows } = await tableOf(bytes)
  const columns = acrossColumnsOf(header, zone)
  if (columns === null) throw new AppError('VALUE_UPLOAD_TWIN_COLUMN')
  if (targets === null) return yield* pairsOf(rows, header, columns)
  const withoutZone = zoneRemover(bytes)
  for (const row of rows) row[columns.time] = withoutZone(row[columns.time] ?? '')
  yield* valuesOf(rows, header, columns, { targets, bounds })
}

/** A cell with a value, and what it belongs to. */
interface Filled {
  column: number
  twin: string
  state: string
}

const cut = (cell: string) => cell.slice(0, targetLengthMax).toWellFormed()
const nameIn = (header: readonly string[], column: number) => cut(header[column] ?? '')

function filledIn(row: readonly string[], header: readonly string[], columns: AcrossColumns): Filled[] {
  const { long, named } = columns
  const twin = cut(row[columns.twin] ?? '')
  const cells = long
    ? [{ column: long.value, twin, state: cut(row[long.key] ?? '') }]
    : named.map((column) => ({ column, twin, state: nameIn(header, column) }))
  return cells.filter(({ column }) => (row[column] ?? '') !== '')
}

const pairKey = (twin: string, state: string) => JSON.stringify([twin, state])

function* pairsOf(
  rows: readonly string[][],
  header: readonly string[],
  columns: AcrossColumns,
): Generator<AcrossPart> {
  const pairs = new Map<string, [string, string]>()
  for (const row of rows)
    for (const { twin, state } of filledIn(row, header, columns)) {
      pairs.set(pairKey(twin, state), [twin, state])
      if (pairs.size > valueUploadLimits.targetsMax) throw tooLarge()
    }
  const all = [...pairs.values()]
  for (let from = 0; from < all.length; from += valuesOfPartMax)
    yield { pairs: all.slice(from, from + valuesOfPartMax) }
}

function* valuesOf(
  rows: readonly string[][],
  header: readonly string[],
  columns: AcrossColumns,
  { targets, bounds }: { targets: readonly Target[]; bounds: AcrossInput['bounds'] },
): Generator<AcrossPart> {
  const targetOf = new Map(targets.map(([twin, state, target]) => [pairKey(twin, state), target]))
  const known = new Set(targets.flatMap(([, state, target]) => (typeof target === 'object' ? [state] : [])))
  const used = columns.long
    ? [columns.long.key, columns.long.value]
    : columns.named.filter((column) => known.has(nameIn(header, column)))
  const faults: (CellFault & { row: number })[] = []
  let faulty = 0
  let count = 0
  let part: FileValue[] = []
  for (const [index, row] of rows.entries()) {
    const cells = filledIn(row, header, columns).filter(({ column }) => used.includes(column))
    const time = cellTime(row[columns.time] ?? '', columns.zone, bounds)
    const read = cells.map((cell) =>
      readCell(cell, row, columns, { time, target: targetOf.get(pairKey(cell.twin, cell.state)) }),
    )
    const found = faultsIn(read)
    faulty += found.length
    for (const { column, code } of found.slice(0, valueUploadLimits.faultsMax - faults.length)) {
      const cell = (row[column] ?? '').slice(0, 100).toWellFormed()
      faults.push({ row: index + 2, column: header[column] ?? '', code, cell })
    }
    for (const value of read) {
      if (!Array.isArray(value)) continue
      if (++count > valueUploadLimits.valuesMax) throw tooLarge()
      part.push(value)
      if (part.length < valuesOfPartMax) continue
      yield { values: part }
      part = []
    }
  }
  if (part.length > 0) yield { values: part }
  const ignored = header.filter((_, column) => ![columns.time, columns.twin, ...used].includes(column))
  yield { found: { rows: rows.length, faulty, faults, ignored } }
}

interface Fault {
  column: number
  code: CellFault['code']
}

/** What is wrong with the twin or the time of a row counts once. */
function faultsIn(read: readonly (FileValue | Fault)[]): Fault[] {
  const faults = read.flatMap((each) => (Array.isArray(each) ? [] : [each]))
  return [...new Map(faults.map((fault) => [`${fault.column} ${fault.code}`, fault])).values()]
}

/** The value of a cell, or what is wrong and in which column. */
function readCell(
  { column }: Filled,
  row: readonly string[],
  columns: AcrossColumns,
  { time, target = 'STATE_UNKNOWN' }: { time: ReturnType<typeof cellTime>; target: Target[2] | undefined },
): FileValue | Fault {
  if (typeof target === 'string') {
    const inState = columns.long?.key ?? column
    return { column: target === 'STATE_UNKNOWN' ? inState : columns.twin, code: target }
  }
  if ('code' in time) return { column: columns.time, code: time.code }
  const read = cellValue(target, row[column] ?? '')
  return 'code' in read ? { column, code: read.code } : [target.id, time.timeMs, read.value]
}
