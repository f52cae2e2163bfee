import type { EdgeName, PlainValue, Summary } from '../series/index.ts'
import type { Column, FieldName, Select, TagName } from './influxql/syntax.ts'
import type { TaggedState } from './tags.ts'

export type Cell = number | string | null
/** The time in milliseconds since 1970, then the columns. */
export type Row = [timeMs: number, ...cells: Cell[]]

/** The combined values of several states in an interval. */
export type Combined = Omit<Summary, 'stateId' | 'startMs'>

/** The values at the edges of intervals that the columns of a SELECT need. */
export function edgesOf(columns: readonly Column[]): Set<EdgeName> {
  return new Set(
    columns.flatMap((column): EdgeName[] => {
      if (column.kind !== 'function') return []
      const isNumber = column.field === 'value_number'
      if (column.name === 'first') return [isNumber ? 'firstNumber' : 'firstText']
      if (column.name === 'last') return [isNumber ? 'lastNumber' : 'lastText']
      return []
    }),
  )
}

/** Combines two summaries, of two states or of two parts of one state. */
export function combined(a: Combined, b: Combined): Combined {
  return {
    numbers: a.numbers + b.numbers,
    texts: a.texts + b.texts,
    sum: a.numbers === 0 ? b.sum : b.numbers === 0 ? a.sum : plus(a.sum, b.sum),
    min: extreme(a.min, b.min, Math.min),
    max: extreme(a.max, b.max, Math.max),
    firstNumber: edge(a.firstNumber, b.firstNumber, (one, other) => one < other),
    lastNumber: edge(a.lastNumber, b.lastNumber, (one, other) => one > other),
    firstText: edge(a.firstText, b.firstText, (one, other) => one < other),
    lastText: edge(a.lastText, b.lastText, (one, other) => one > other),
  }
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null || !Number.isFinite(a + b) ? null : a + b
}

function extreme(a: number | null, b: number | null, of: (a: number, b: number) => number): number | null {
  return a === null ? b : b === null ? a : of(a, b)
}

function edge<T extends readonly [number, unknown]>(
  a: T | null,
  b: T | null,
  isBefore: (a: number, b: number) => boolean,
): T | null {
  if (a === null || b === null) return a ?? b
  return isBefore(b[0], a[0]) ? b : a
}

/** The median of numbers in any order; null if there are none. */
export function medianOf(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/**
 * Rows of one series by interval. Empty when the states had no matching values.
 * @param found summaries by the start of their interval
 * @param medians medians by the start of their interval, if requested
 */
export function intervalRows(
  select: Select,
  starts: readonly number[],
  found: ReadonlyMap<number, Combined>,
  medians: ReadonlyMap<number, number>,
): Row[] {
  const columns = select.columns.filter((column) => column.kind === 'function')
  const rows: Row[] = []
  const previous: Cell[] = columns.map(() => null)
  let hasAny = false
  for (const start of starts) {
    const had = found.get(start)
    const cells = columns.map((column) => (had ? cellOf(column, had, medians.get(start)) : null))
    if (columns.some((column) => has(column, had))) hasAny = true
    else if (select.interval === null || select.fill?.kind === 'none') continue
    rows.push([
      start,
      ...cells.map((cell, index) => {
        const column = columns[index] as (typeof columns)[number]
        const value = has(column, had) ? cell : filled(select, column, previous[index] ?? null)
        previous[index] = value
        return value
      }),
    ])
  }
  return hasAny ? rows : []
}

type FunctionColumn = Extract<Column, { kind: 'function' }>

function has({ field }: FunctionColumn, had: Combined | undefined): boolean {
  return had !== undefined && (field === 'value_number' ? had.numbers : had.texts) > 0
}

/** The value of a cell for an interval without values: 0 for counts, unless the query specifies a fill. */
function filled({ interval, fill }: Select, { name }: FunctionColumn, previous: Cell): Cell {
  if (interval === null || fill === undefined) return name === 'count' ? 0 : null
  switch (fill.kind) {
    case 'value':
      return fill.value
    case 'previous':
      return previous
    default:
      return null
  }
}

function cellOf({ name, field }: FunctionColumn, had: Combined, median: number | undefined): Cell {
  const isNumber = field === 'value_number'
  switch (name) {
    case 'count':
      return isNumber ? had.numbers : had.texts
    case 'first':
      return (isNumber ? had.firstNumber : had.firstText)?.[1] ?? null
    case 'last':
      return (isNumber ? had.lastNumber : had.lastText)?.[1] ?? null
    case 'mean':
      return had.sum === null ? null : had.sum / had.numbers
    case 'median':
      return median ?? null
    default:
      return had[name]
  }
}

/**
 * The time of the only row of a SELECT without intervals: that of its value if it has one, else the start of
 * the range.
 */
export function timeOfWhole(
  { columns }: Select,
  had: Combined | undefined,
  span: { startMs: number; isBounded: boolean },
): number {
  const [only] = columns
  const start = span.isBounded ? span.startMs : 0
  if (columns.length !== 1 || only?.kind !== 'function' || had === undefined) return start
  const [first, last] =
    only.field === 'value_number' ? [had.firstNumber, had.lastNumber] : [had.firstText, had.lastText]
  if (only.name === 'first') return first?.[0] ?? start
  return only.name === 'last' ? (last?.[0] ?? start) : start
}

/** Rows of raw values. */
export function plainRows(
  columns: readonly Column[],
  values: readonly PlainValue[],
  states: ReadonlyMap<number, TaggedState>,
): Row[] {
  return values.map((value) => [
    value.timeMs,
    ...columns.map((column) => plainCell(column, value, states.get(value.stateId))),
  ])
}

function plainCell(column: Column, value: PlainValue, state: TaggedState | undefined): Cell {
  if (column.kind === 'tag') return state?.tags[column.tag] ?? null
  return column.kind === 'field' && column.field === 'value_number' ? value.number : value.text
}

/** Fields that a SELECT uses. */
export function fieldsOf(columns: readonly Column[]): Set<FieldName> {
  return new Set(columns.flatMap((column) => (column.kind === 'tag' ? [] : [column.field])))
}

/** Applies order, offset and limit to the rows of a result. */
export function cut<T>(rows: readonly T[], offset: number, limit: number | null): T[] {
  return rows.slice(offset, limit === null ? undefined : offset + limit)
}

export const epochs = ['ns', 'u', 'µ', 'ms', 's', 'm', 'h'] as const
export type Epoch = (typeof epochs)[number]
const perMs: Readonly<Record<Epoch, number>> = {
  ns: 1e6,
  u: 1e3,
  µ: 1e3,
  ms: 1,
  s: 1e-3,
  m: 1 / 60_000,
  h: 1 / 3_600_000,
}

/** A time in the result: an integer in the given unit, or RFC 3339 without a unit. */
export function shownTime(ms: number, epoch: Epoch | null): number | string {
  if (epoch === null) return new Date(ms).toISOString().replace('.000Z', 'Z')
  // Avoids more digits than a number of nanoseconds can hold.
  return Math.floor(Math.round(ms) * perMs[epoch])
}

/** A series in the result. */
export interface AnsweredSeries {
  name: string
  tags?: Partial<Record<TagName, string>>
  columns: string[]
  values: (number | string | boolean | null)[][]
}
