import type { GeoBounds } from '@leitstand/contract/geo'
import { type RawBuilder, sql } from 'kysely'
import { aroundSquare, type Grid, type Square } from './grid.ts'

export interface Extent {
  total: number
  placed: number
  bounds: GeoBounds | null
}

export type ExtentRow = { total: number; placed: number } & Record<keyof GeoBounds, number | null>

/** What `extentColumns` found. */
export function extentOf(row: ExtentRow | undefined): Extent {
  if (!row) return { total: 0, placed: 0, bounds: null }
  const { total, placed, west, south, east, north } = row
  const isSomewhere = west !== null && south !== null && east !== null && north !== null
  return { total, placed, bounds: isSomewhere ? { west, south, east, north } : null }
}

/** SQL about the columns `latitude` and `longitude` of a table with this alias. */
export function positionsIn(alias: string) {
  const latitude = sql<number>`${sql.ref(`${alias}.latitude`)}`
  const longitude = sql<number>`${sql.ref(`${alias}.longitude`)}`
  const placed = sql<boolean>`${latitude} is not null and ${longitude} is not null`

  const columnOf = ({ squares }: Grid): RawBuilder<number> =>
    sql`floor((${longitude} + 180) / 360 * ${squares}::float8)::int`
  /** Row in the map projection, which ends at 85 degrees. */
  const rowOf = ({ squares }: Grid): RawBuilder<number> => sql`floor((0.5 - ln(tan(
    pi() / 4 + radians(least(85.05, greatest(-85.05, ${latitude}))) / 2)) / (2 * pi())) * ${squares}::float8)::int`

  /** Condition for positions within bounds; skips bounds at the edge of the world. */
  const within = ({ west, south, east, north }: GeoBounds): RawBuilder<boolean> => {
    const conditions = [
      placed,
      ...(west > -180 ? [sql<boolean>`${longitude} >= ${west}`] : []),
      ...(east < 180 ? [sql<boolean>`${longitude} <= ${east}`] : []),
      ...(south > -90 ? [sql<boolean>`${latitude} >= ${south}`] : []),
      ...(north < 90 ? [sql<boolean>`${latitude} <= ${north}`] : []),
    ]
    return sql<boolean>`(${sql.join(conditions, sql` and `)})`
  }
  return {
    placed,
    columnOf,
    rowOf,
    within,
    /** Condition for positions in a square. */
    inSquare: (grid: Grid, square: Square): RawBuilder<boolean> =>
      // Comparing with bounds is cheap, so compute the square only for positions near it.
      sql<boolean>`(${within(aroundSquare(grid, square))}
        and ${columnOf(grid)} = ${square.column} and ${rowOf(grid)} = ${square.row})`,
    /** Number of rows, of those with a position, and their bounds: an `ExtentRow`. */
    extentColumns: sql`count(*) as total, count(*) filter (where ${placed}) as placed,
      min(${longitude}) filter (where ${placed}) as west, min(${latitude}) filter (where ${placed}) as south,
      max(${longitude}) filter (where ${placed}) as east, max(${latitude}) filter (where ${placed}) as north`,
  }
}
