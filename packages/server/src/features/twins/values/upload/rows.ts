import type { JsonValue } from '@leitstand/contract/common'
import type { ValueType } from '@leitstand/contract/states'
import type { valueFaults } from '@leitstand/contract/stateValues'
import { DateTime } from 'luxon'
import { AppError } from '../../../../platform/errors.ts'
import { readValue } from '../../stateFields.ts'
import { timeOf } from './times.ts'

/** A state whose values a file can have. */
export interface TargetState {
  id: number
  key: string
  title: string
  unit: string
  valueType: ValueType
}

/** Which column has what. */
export interface Columns {
  time: number
  /** of times without an offset */
  zone: string
  /** null: each state has a column */
  long: { key: number; value: number } | null
  states: readonly { column: number; state: TargetState }[]
  ignored: string[]
}

const timeTitles = ['zeit', 'zeitpunkt', 'zeitstempel', 'datum', 'time', 'timestamp', 'date']
const keyTitles = ['key', 'schlüssel', 'state', 'datenpunkt']
const valueTitles = ['value', 'wert']

const plain = (title: string) => title.trim().toLowerCase()

/**
 * Finds the columns of a file, also of those that the platform writes: `Zeit (Europe/Berlin)`, `Temperatur [°C]`.
 * @param only values of one state: a column `value` is its
 * @returns null: there is no column with the time, or none of a state
 */
export function columnsOf(
  header: readonly string[],
  states: readonly TargetState[],
  { zone, only }: { zone: string; only: boolean },
): Columns | null {
  const titles = header.map(plain)
  const time = titles.findIndex((title) => timeTitles.includes(title.replace(/\s*\(.*\)$/, '')))
  if (time === -1) return null
  const named = /\(([^)]+)\)/.exec(header[time] ?? '')?.[1]
  const own = named !== undefined && DateTime.local({ zone: named }).isValid ? named : zone
  const [key, value] = [keyTitles, valueTitles].map((known) =>
    titles.findIndex((title) => known.includes(title)),
  )
  if (key !== undefined && value !== undefined && key !== -1 && value !== -1) {
    const ignored = header.filter((_, column) => ![time, key, value].includes(column))
    return { time, zone: own, long: { key, value }, states: [], ignored }
  }
  const byTitle = new Map<string, TargetState>()
  for (const namesOf of [
    (state: TargetState) => [state.key],
    (state: TargetState) => [`${state.title} [${state.unit}]`, state.title],
  ])
    for (const state of states)
      for (const name of namesOf(state)) if (!byTitle.has(plain(name))) byTitle.set(plain(name), state)
  const [single] = only ? states : []
  const stateOf = (title: string) => byTitle.get(title) ?? (valueTitles.includes(title) ? single : undefined)
  const taken = new Set<number>()
  const found = titles.flatMap((title, column) => {
    const state = column === time ? undefined : stateOf(title)
    if (state === undefined || taken.has(state.id)) return []
    taken.add(state.id)
    return [{ column, state }]
  })
  if (found.length === 0) return null
  const used = new Set([time, ...found.map(({ column }) => column)])
  return {
    time,
    zone: own,
    long: null,
    states: found,
    ignored: header.filter((_, column) => !used.has(column)),
  }
}

export type FileValue = [stateId: number, timeMs: number, value: JsonValue]

export interface CellFault {
  column: string
  code: (typeof valueFaults)[number]
  cell: string
}

/** Times that values may have, in milliseconds. */
export interface TimeBounds {
  fromMs: number
  toMs: number
}

/** The values of a row; empty cells have none. */
export function valuesOf(
  row: readonly string[],
  header: readonly string[],
  columns: Columns,
  { byKey, bounds }: { byKey: ReadonlyMap<string, TargetState>; bounds: TimeBounds },
): { values: FileValue[]; faults: CellFault[] } {
  const faults: CellFault[] = []
  const fault = (column: number, code: CellFault['code']) => {
    faults.push({
      column: header[column] ?? '',
      code,
      cell: (row[column] ?? '').slice(0, 100).toWellFormed(),
    })
  }
  const cells = cellsOf(row, columns, byKey, fault).filter(({ column }) => (row[column] ?? '') !== '')
  if (cells.length === 0) return { values: [], faults }
  const timeMs = timeOf(row[columns.time] ?? '', columns.zone)
  if (timeMs === null || timeMs < bounds.fromMs || timeMs > bounds.toMs) {
    fault(columns.time, timeMs === null ? 'TIME' : 'TIME_RANGE')
    return { values: [], faults }
  }
  const values: FileValue[] = []
  for (const { column, state } of cells) {
    const value = fittingValue(state, row[column] ?? '')
    if (value === undefined) fault(column, 'VALUE')
    else values.push([state.id, timeMs, value])
  }
  return { values, faults }
}

function cellsOf(
  row: readonly string[],
  { long, states }: Columns,
  byKey: ReadonlyMap<string, TargetState>,
  fault: (column: number, code: CellFault['code']) => void,
): readonly { column: number; state: TargetState }[] {
  if (long === null) return states
  const state = byKey.get(row[long.key] ?? '')
  if (state !== undefined) return [{ column: long.value, state }]
  fault(long.key, 'STATE_UNKNOWN')
  return []
}

function fittingValue({ valueType }: TargetState, cell: string): JsonValue | undefined {
  try {
    return readValue(valueType, cell)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
