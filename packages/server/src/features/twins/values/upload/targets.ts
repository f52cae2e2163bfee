import { setImmediate as turn } from 'node:timers/promises'
import type { valueFaults } from '@leitstand/contract/stateValues'
import type { Category } from '../../policy.ts'

/** A twin or device that a cell of a file can mean. */
export interface NamedTwin {
  id: number
  title: string
  category: Category
  scopeId: number
  /** titles from it upwards, in lower case */
  path: readonly string[]
}

export type TwinFault = Extract<(typeof valueFaults)[number], `TWIN_${string}`>

/** Titles of a path that are compared, from the twin upwards. */
export const pathLengthMax = 8

/** The titles in a cell from the twin upwards, in lower case: `School / Floor 1 / Room 7`. */
export function pathIn(cell: string): string[] {
  return cell
    .toLowerCase()
    .split(' / ')
    .map((title) => title.trim())
    .filter((title) => title !== '')
    .reverse()
}

/**
 * The twins that cells mean: by id, by the whole title, or by titles above it. The upper part of a path may be left out where
 * no other twin has the same titles.
 */
export async function chooseTwins(
  twins: readonly NamedTwin[],
  cells: readonly string[],
  isWritable: (twin: NamedTwin) => boolean,
): Promise<Map<string, NamedTwin | TwinFault>> {
  const byId = new Map(twins.map((twin) => [String(twin.id), twin]))
  const byTitle = indexOf(twins, 1)
  const paths = Map.groupBy(
    cells.filter((cell) => !byId.has(cell) && !byTitle.has(cell.toLowerCase())),
    (cell) => pathIn(cell).length,
  )
  const found = new Map<string, readonly NamedTwin[]>()
  for (const cell of cells) {
    const own = byId.get(cell)
    found.set(cell, own ? [own] : (byTitle.get(cell.toLowerCase()) ?? []))
  }
  for (const [length, of] of paths) {
    if (length < 1 || length > pathLengthMax) continue
    // Thousands of twins may have the titles: each length is a turn of its own.
    await turn()
    const byPath = indexOf(twins, length)
    for (const cell of of) found.set(cell, byPath.get(keyOf(pathIn(cell))) ?? [])
  }
  return new Map([...found].map(([cell, named]) => [cell, onlyOne(named, isWritable)]))
}

const keyOf = (path: readonly string[]) => path.join('\0')

/** Twins by their title and the titles above it, as many as `length`. */
function indexOf(twins: readonly NamedTwin[], length: number): Map<string, NamedTwin[]> {
  return Map.groupBy(
    twins.filter(({ path }) => path.length >= length),
    ({ path }) => keyOf(path.slice(0, length)),
  )
}

function onlyOne(
  [first, ...others]: readonly NamedTwin[],
  isWritable: (twin: NamedTwin) => boolean,
): NamedTwin | TwinFault {
  if (!first) return 'TWIN_UNKNOWN'
  if (others.length > 0) return 'TWIN_AMBIGUOUS'
  return isWritable(first) ? first : 'TWIN_FORBIDDEN'
}
