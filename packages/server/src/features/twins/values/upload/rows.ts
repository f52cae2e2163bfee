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

const twinTitles = ['twin', 'zwilling', 'device', 'gerät', 'gerät oder zwilling', 'device or twin', 'dtwinid']
const timeTitles = ['zeit', 'zeitpunkt', 'zeitstempel', 'datum', 'time', 'timestamp', 'date']
const keyTitles = ['key', 'schlüssel', 'state', 'datenpunkt']
const valueTitles = ['value', 'wert']

const plain = (title: string) => title.trim().toLowerCase()

const isTimeTitle = (title: string) => timeTitles.includes(title.replace(/\s*\(.*\)$/, ''))

/** The time zone in a title such as `Zeit (Europe/Berlin)`. */
function zoneIn(title: string): string | undefined {
  const named = /\(([^)]+)\)/.exec(title)?.[1]
  return named !== undefined && DateTime.local({ zone: named }).isValid ? named : undefined
}

/** The columns of a file with a row for each value. */
function longColumnsOf(titles: readonly string[]): { key: number; value: number } | null {
  const [key = -1, value = -1] = [keyTitles, valueTitles].map((known) =>
    titles.findIndex((title) => known.includes(title)),
  )
  return key === -1 || value === -1 ? null : { key, value }
}

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
  const time = titles.findIndex(isTimeTitle)
  if (time === -1) return null
  const own = zoneIn(header[time] ?? '') ?? zone
  const long = longColumnsOf(titles)
  if (long) {
    const ignored = header.filter((_, column) => ![time, long.key, long.value].includes(column))
    return { time, zone: own, long, states: [], ignored }
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

/** The columns of a file across twins; in `named`, each is a state by its key or title. */
export interface AcrossColumns extends Pick<Columns, 'time' | 'zone' | 'long'> {
  twin: number
  named: readonly number[]
}

/** @returns null: there is no column with the time, none with the twin, or none of a state */
export function acrossColumnsOf(header: readonly string[], zone: string): AcrossColumns | null {
  const titles = header.map(plain)
  const time = titles.findIndex(isTimeTitle)
  const twin = titles.findIndex((title) => twinTitles.includes(title))
  if (time === -1 || twin === -1) return null
  const own = zoneIn(header[time] ?? '') ?? zone
  const long = longColumnsOf(titles)
  const named = header.flatMap((title, column) =>
    column === time || column === twin || plain(title) === '' ? [] : [column],
  )
  if (!long && named.length === 0) return null
  return { time, twin, zone: own, long, named: long ? [] : named }
}

/** The value of a cell, or why it cannot be used. */
export function cellValue(
  state: TargetState,
  cell: string,
): { value: JsonValue } | { code: CellFault['code'] } {
  const value = fittingValue(state, cell)
  return value === undefined ? { code: 'VALUE' } : { value }
}

/** The time of a cell, or why it cannot be used. */
export function cellTime(
  cell: string,
  zone: string,
  { fromMs, toMs }: TimeBounds,
): { timeMs: number } | { code: CellFault['code'] } {
  const timeMs = timeOf(cell, zone)
  if (timeMs === null) return { code: 'TIME' }
  return timeMs < fromMs || timeMs > toMs ? { code: 'TIME_RANGE' } : { timeMs }
}

function fittingValue({ valueType }: TargetState, cell: string): JsonValue | undefined {
  try {
    return readValue(valueType, cell)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
