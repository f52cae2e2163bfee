import type { CellFault } from '@leitstand/contract/jobs'
import type * as z from 'zod'

/** The meaning of a column of a file. */
export interface Column<Target extends string> {
  column: number
  target: Target
  /** of the key or the reference id */
  name?: string | undefined
}

type Issue = z.core.$ZodIssue

/** Reads the cells of one row by their targets, and collects their faults. */
export class RowReader<C extends Column<string>> {
  readonly faults: CellFault[] = []
  readonly #cells: readonly string[]
  readonly #header: readonly string[]
  readonly #columns: readonly C[]

  constructor(cells: readonly string[], header: readonly string[], columns: readonly C[]) {
    this.#cells = cells
    this.#header = header
    this.#columns = columns
  }

  cell(target: C['target']): string {
    return this.#cell(target)
  }

  fault(code: string, target: C['target']): void {
    this.#fault(code, target)
  }

  number(target: C['target']): number | null {
    return this.#number(target)
  }

  /** Both coordinates; one alone is a fault. */
  position(): { latitude: number | null; longitude: number | null } {
    const latitude = this.#number('latitude')
    const longitude = this.#number('longitude')
    const hasBoth = (latitude === null) === (longitude === null)
    if (!hasBoth && this.faults.length === 0)
      this.#fault('POSITION_INCOMPLETE', latitude === null ? 'latitude' : 'longitude')
    return { latitude, longitude }
  }

  words(target: C['target']): string[] {
    const words = this.cell(target)
      .split(/[,;|\n]/)
      .map((each) => each.trim())
      .filter((each) => each !== '')
    return [...new Set(words)]
  }

  /** Named values, without empty ones. */
  pairs(target: C['target']): { name: string; value: string; column: C }[] {
    return this.#columns.flatMap((column) => {
      const { name } = column
      const value = this.#cells[column.column] ?? ''
      return column.target === target && name !== undefined && value !== '' ? [{ name, value, column }] : []
    })
  }

  /** The title of a column. */
  titleOf({ column }: C): string | null {
    return this.#header[column] ?? null
  }

  /** Adds what a schema of the contract has found. */
  addIssues(issues: readonly Issue[] = []): void {
    for (const issue of issues) this.faults.push({ code: codeOf(issue), column: this.#columnOf(issue) })
  }

  /** Each fault once, in the order of the columns. */
  sortedFaults(): CellFault[] {
    const once = new Map(this.faults.map((fault) => [`${fault.code} ${fault.column}`, fault]))
    const placeOf = ({ column }: CellFault) => this.#header.indexOf(column ?? '')
    return [...once.values()].sort((a, b) => placeOf(a) - placeOf(b))
  }

  #cell(target: string): string {
    const column = this.#columns.find((each) => each.target === target)
    return column === undefined ? '' : (this.#cells[column.column] ?? '')
  }

  #fault(code: string, target: string): void {
    this.faults.push({ code, column: titleOf(this.#header, this.#columns, target) })
  }

  #number(target: string): number | null {
    const cell = this.#cell(target)
    if (cell === '') return null
    if (/^[+-]?\d+(?:[.,]\d+)?$/.test(cell)) return Number(cell.replace(',', '.'))
    this.#fault('NO_NUMBER', target)
    return null
  }

  #columnOf({ path: [field, key] }: Issue): string | null {
    if (field === 'keyValues') {
      const named = typeof key === 'string' ? key : null
      return named ?? titleOf(this.#header, this.#columns, 'keyValue')
    }
    if (field === 'referenceIds') {
      const named = this.pairs('referenceId')[Number(key)]?.name
      return named ?? titleOf(this.#header, this.#columns, 'referenceId')
    }
    return titleOf(this.#header, this.#columns, String(field))
  }
}

/** The title of the column a field is read from. */
export function titleOf(
  header: readonly string[],
  columns: readonly Column<string>[],
  target: string,
): string | null {
  const column = columns.find((each) => each.target === target)
  return column === undefined ? null : (header[column.column] ?? null)
}

/** A column title without blanks and punctuation. */
export const plainTitle = (title: string): string => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Guesses the fields of columns by their titles; each field once, for the first matching column. */
export function suggestFrom<Target extends string>(
  header: readonly string[],
  known: Readonly<Record<Target, readonly string[]>>,
): (Target | null)[] {
  const taken = new Set<Target>()
  return header.map((title) => {
    const plain = plainTitle(title)
    const target = (Object.keys(known) as Target[]).find(
      (each) => !taken.has(each) && known[each].includes(plain),
    )
    if (target === undefined) return null
    taken.add(target)
    return target
  })
}

function codeOf(issue: Issue): string {
  if (issue.code === 'too_small') return issue.origin === 'string' ? 'REQUIRED' : 'OUT_OF_RANGE'
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return 'TOO_LONG'
    return issue.origin === 'array' ? 'TOO_MANY' : 'OUT_OF_RANGE'
  }
  if (issue.code === 'invalid_type') return issue.expected === 'int' ? 'NO_WHOLE_NUMBER' : 'NO_NUMBER'
  return 'INVALID'
}
