import { type GeoBounds, geoClustersMax } from '@leitstand/contract/geo'
import type { GeoCluster, GeoPlace } from '@leitstand/contract/virtualdevices'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { clusterIdOf, type Grid, type Square } from '../../../platform/geo/grid.ts'
import { type Extent, type ExtentRow, extentOf, positionsIn } from '../../../platform/geo/positions.ts'
import { type Condition, ints, titleOrder } from '../../twins/index.ts'
import { type DeviceFilter, select } from './page.ts'
import { partsOf } from './tables.ts'

/** The devices of a map query. */
export interface GeoQuery {
  scopeIds: readonly number[]
  filter: DeviceFilter
}

const { placed, extentColumns, columnOf, rowOf, within, inSquare } = positionsIn('l')

/** Number of devices, number of devices with a position, and their bounds. */
export async function readExtent(
  db: Executor,
  { scopeIds, filter }: GeoQuery,
  also: Condition = sql<boolean>`true`,
): Promise<Extent> {
  const { from, where } = partsOf(await select(db, scopeIds, filter), ['live'])
  const { rows } = await sql<ExtentRow>`
    select ${extentColumns} from ${from} where ${where} and ${also}`.execute(db)
  return extentOf(rows[0])
}

/**
 * Health by severity on the map: ok, unknown, warning, invalid, error; the rank of code `n` is at `n + 1`.
 */
const healthOrder = sql`'{0,3,1,4,2}'::int[]`
const placeInOrder = sql`'{1,3,5,2,4}'::int[]`

/** Devices within bounds, grouped by grid square, largest groups first. */
export async function readClusters(
  db: Executor,
  { scopeIds, filter }: GeoQuery,
  grid: Grid,
  bounds: GeoBounds,
): Promise<{ items: GeoCluster[]; more: boolean }> {
  const { from, id, where } = partsOf(await select(db, scopeIds, filter), ['live'])
  const { rows } = await sql<Square & Omit<GeoCluster, 'id' | 'title' | 'device'> & { deviceId: number }>`
    select ${columnOf(grid)} as "column", ${rowOf(grid)} as row, count(*) as count,
      avg(l.latitude) as latitude, avg(l.longitude) as longitude, min(${id}) as "deviceId",
      (${healthOrder})[max((${placeInOrder})[l.health + 1])] as health
    from ${from} where ${where} and ${within(bounds)}
    group by 1, 2 order by count(*) desc, 1, 2 limit ${geoClustersMax + 1}`.execute(db)
  const shown = rows.slice(0, geoClustersMax)
  const first = await readPlaces(
    db,
    shown.map(({ deviceId }) => deviceId),
  )
  const devices = new Map(first.map((place) => [place.id, place]))
  return {
    items: shown.map(({ column, row, deviceId, ...cluster }) => ({
      ...cluster,
      id: clusterIdOf(grid, { column, row }),
      title: devices.get(deviceId)?.title ?? '',
      device: cluster.count === 1 ? (devices.get(deviceId) ?? null) : null,
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
  const inside = inSquare(grid, square)
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
