import {
  type GeoBounds,
  type GeoCluster,
  type GeoPlace,
  geoClustersMax,
} from '@leitstand/contract/virtualdevices'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { all, type Condition, ints, titleOrder } from '../../twins/index.ts'
import { aroundSquare, clusterIdOf, type Grid, type Square } from '../list/grid.ts'
import { type DeviceFilter, select } from './page.ts'
import { partsOf } from './tables.ts'

/** The devices of a map query. */
export interface GeoQuery {
  scopeIds: readonly number[]
  filter: DeviceFilter
}

const placed = sql<boolean>`l.latitude is not null and l.longitude is not null`

interface Extent {
  total: number
  placed: number
  bounds: GeoBounds | null
}

/** Number of devices, number of devices with a position, and their bounds. */
export async function readExtent(
  db: Executor,
  { scopeIds, filter }: GeoQuery,
  also: Condition = sql<boolean>`true`,
): Promise<Extent> {
  const { from, where } = partsOf(await select(db, scopeIds, filter), ['live'])
  const { rows } = await sql<{ total: number; placed: number } & Record<keyof GeoBounds, number | null>>`
    select count(*) as total, count(*) filter (where ${placed}) as placed,
      min(l.longitude) filter (where ${placed}) as west, min(l.latitude) filter (where ${placed}) as south,
      max(l.longitude) filter (where ${placed}) as east, max(l.latitude) filter (where ${placed}) as north
    from ${from} where ${where} and ${also}`.execute(db)
  const row = rows[0]
  if (!row) return { total: 0, placed: 0, bounds: null }
  const { total, placed: count, west, south, east, north } = row
  const isSomewhere = west !== null && south !== null && east !== null && north !== null
  return { total, placed: count, bounds: isSomewhere ? { west, south, east, north } : null }
}

/**
 * Health by severity on the map: ok, unknown, warning, invalid, error; the rank of code `n` is at `n + 1`.
 */
const healthOrder = sql`'{0,3,1,4,2}'::int[]`
const placeInOrder = sql`'{1,3,5,2,4}'::int[]`

const columnOf = ({ squares }: Grid): RawBuilder<number> =>
  sql`floor((l.longitude + 180) / 360 * ${squares}::float8)::int`

/** Row in the map projection, which ends at 85 degrees. */
const rowOf = ({ squares }: Grid): RawBuilder<number> => sql`floor((0.5 - ln(tan(
    pi() / 4 + radians(least(85.05, greatest(-85.05, l.latitude))) / 2)) / (2 * pi())) * ${squares}::float8)::int`

/** Condition for positions within bounds; skips bounds at the edge of the world. */
function within({ west, south, east, north }: GeoBounds): Condition {
  return all([
    placed,
    ...(west > -180 ? [sql<boolean>`l.longitude >= ${west}`] : []),
    ...(east < 180 ? [sql<boolean>`l.longitude <= ${east}`] : []),
    ...(south > -90 ? [sql<boolean>`l.latitude >= ${south}`] : []),
    ...(north < 90 ? [sql<boolean>`l.latitude <= ${north}`] : []),
  ])
}

/** Devices within bounds, grouped by grid square, largest groups first. */
export async function readClusters(
  db: Executor,
  { scopeIds, filter }: GeoQuery,
  grid: Grid,
  bounds: GeoBounds,
): Promise<{ items: GeoCluster[]; more: boolean }> {
  const { from, id, where } = partsOf(await select(db, scopeIds, filter), ['live'])
  const { rows } = await sql<Square & Omit<GeoCluster, 'id' | 'device'> & { deviceId: number }>`
    select ${columnOf(grid)} as "column", ${rowOf(grid)} as row, count(*) as count,
      avg(l.latitude) as latitude, avg(l.longitude) as longitude, min(${id}) as "deviceId",
      (${healthOrder})[max((${placeInOrder})[l.health + 1])] as health
    from ${from} where ${where} and ${within(bounds)}
    group by 1, 2 order by count(*) desc, 1, 2 limit ${geoClustersMax + 1}`.execute(db)
  const shown = rows.slice(0, geoClustersMax)
  const single = shown.filter(({ count }) => count === 1).map(({ deviceId }) => deviceId)
  const devices = new Map((await readPlaces(db, single)).map((place) => [place.id, place]))
  return {
    items: shown.map(({ column, row, deviceId, ...cluster }) => ({
      ...cluster,
      id: clusterIdOf(grid, { column, row }),
      device: devices.get(deviceId) ?? null,
    })),
    more: rows.length > shown.length,
  }
}

/** Devices by id. The caller must have checked the scopes. */
async function readPlaces(db: Executor, ids: readonly number[]): Promise<GeoPlace[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<GeoPlace>`
    select t.id, t.title, d.external_id as "externalId", l.health, l.latitude, l.longitude
    from unnest(${ints(ids)}) with ordinality as wanted (id, place)
    join twins t on t.id = wanted.id
    join virtual_devices d on d.twin_id = t.id join device_live l on l.twin_id = t.id
    where ${placed}
    order by wanted.place`.execute(db)
  return rows
}

/** The devices of one square by title, and their bounds. */
export async function readSquare(
  db: Executor,
  query: GeoQuery,
  grid: Grid,
  square: Square,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: GeoPlace[]; total: number; bounds: GeoBounds | null }> {
  // Comparing with bounds is cheap, so compute the square only for positions near it.
  const inside = sql<boolean>`${within(aroundSquare(grid, square))}
    and ${columnOf(grid)} = ${square.column} and ${rowOf(grid)} = ${square.row}`
  const { from, where } = partsOf(await select(db, query.scopeIds, query.filter), ['twin', 'live'])
  const [{ placed: total, bounds }, { rows }] = await Promise.all([
    readExtent(db, query, inside),
    sql<{ id: number }>`
      select t.id from ${from} where ${where} and ${inside}
      order by ${titleOrder}, t.id limit ${limit} offset ${offset}`.execute(db),
  ])
  return {
    items: await readPlaces(
      db,
      rows.map(({ id }) => id),
    ),
    total,
    bounds,
  }
}
