import { type GeoBounds, geoClustersMax } from '@leitstand/contract/geo'
import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { type MarkerColor, markerColors } from '@leitstand/contract/mapSettings'
import {
  mapAreasMax,
  type TwinArea,
  type TwinCluster,
  type TwinPlace,
  type TwinType,
} from '@leitstand/contract/twins'
import { sql } from 'kysely'
import { int4Array } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { clusterIdOf, type Grid, type Square } from '../../../platform/geo/grid.ts'
import { type Extent, type ExtentRow, extentOf, positionsIn } from '../../../platform/geo/positions.ts'
import {
  all,
  type Condition,
  inScopes,
  ints,
  isInTree,
  objectConditions,
  texts,
  titleOrder,
  titleSearch,
} from './filters.ts'
import { joinKeptRanks, levelOfRank, worstRank } from './levels.ts'
import { colorOfRank, type MarkerColors } from './markerColors.ts'

/** The twins of a map query. */
export interface MapQuery {
  /** scopes of the twins the caller may see, and of those whose states the caller may read */
  scopes: { twins: readonly number[]; states: readonly number[] }
  /** with everything below it */
  twinId?: number | undefined
  search?: string | undefined
  accountIds?: readonly number[] | undefined
  types?: readonly TwinType[] | undefined
  tags?: readonly string[] | undefined
  excludeZones: boolean
}

export const { placed, extentColumns, columnOf, rowOf, within, inSquare } = positionsIn('t')

/** Polygons narrower and lower than this many pixels are not shown. */
const pixelsMin = 3

/** Rows of `twins t`. */
export function selected({
  scopes,
  twinId,
  search,
  accountIds,
  types,
  tags,
  excludeZones,
}: MapQuery): Condition {
  return all([
    ...objectConditions('digitalTwin', { accountIds, tags }),
    inScopes(scopes.twins),
    ...titleSearch(search),
    ...(types ? [sql<boolean>`t.type = any(${texts(types)})`] : []),
    ...(excludeZones ? [sql<boolean>`t.type <> 'zone'`] : []),
    ...(twinId === undefined ? [] : [isInTree(twinId)]),
  ])
}

/** Number of twins, number of twins with a position, and the bounds of positions and polygons. */
export async function readTwinExtent(db: Executor, query: MapQuery): Promise<Extent> {
  const { rows } = await sql<ExtentRow & { areas: GeoBounds | null }>`
    select ${extentColumns},
      case when count(t.geo_bounds) > 0 then json_build_object(
        'west', min((t.geo_bounds[1])[0]), 'south', min((t.geo_bounds[1])[1]),
        'east', max((t.geo_bounds[0])[0]), 'north', max((t.geo_bounds[0])[1])) end as areas
    from twins t where ${selected(query)}`.execute(db)
  const { total, placed: count, bounds } = extentOf(rows[0])
  return { total, placed: count, bounds: joined(bounds, rows[0]?.areas ?? null) }
}

function joined(one: GeoBounds | null, other: GeoBounds | null): GeoBounds | null {
  if (one === null || other === null) return one ?? other
  return {
    west: Math.min(one.west, other.west),
    south: Math.min(one.south, other.south),
    east: Math.max(one.east, other.east),
    north: Math.max(one.north, other.north),
  }
}

/** A cluster with the colour that was asked for. */
export type FoundCluster = Omit<TwinCluster, 'marker'> & { color: MarkerColor | undefined }

/**
 * Twins within bounds, grouped by grid square, largest groups first, with the worst of the kept levels.
 * @param colors kept as well; the most urgent of a group becomes its colour
 */
export async function readTwinClusters(
  db: Executor,
  query: MapQuery,
  { grid, bounds, colors }: { grid: Grid; bounds: GeoBounds; colors?: MarkerColors | undefined },
): Promise<{ items: FoundCluster[]; more: boolean }> {
  const { states } = query.scopes
  const color = sql`coalesce(m.color, ${colorOfRank(sql`l.rank`)})`
  const { rows } = await sql<
    Square &
      Pick<TwinCluster, 'count' | 'latitude' | 'longitude' | 'title'> & {
        twinId: number
        rank: number | null
        color: number | null
      }
  >`
    select ${columnOf(grid)} as "column", ${rowOf(grid)} as row, count(*)::int as count,
      avg(t.latitude) as latitude, avg(t.longitude) as longitude, min(t.id) as "twinId",
      max(l.rank) as rank, ${colors ? sql`max(${color})` : sql`null::int`} as color,
      (array_agg(t.title order by t.parent_id nulls first, t.id))[1] as title
    from twins t ${joinKeptRanks(states)} ${colors ? joinKeptColors(colors, states) : sql``} where ${selected(query)} and ${within(bounds)}
    group by 1, 2 order by count(*) desc, 1, 2 limit ${geoClustersMax + 1}`.execute(db)
  const shown = rows.slice(0, geoClustersMax)
  const single = shown.filter(({ count }) => count === 1).map(({ twinId }) => twinId)
  const twins = new Map((await readPlaces(db, query, single)).map((place) => [place.id, place]))
  return {
    items: shown.map(({ column, row, twinId, rank, color, ...cluster }) => ({
      ...cluster,
      color: color === null ? undefined : markerColors[color],
      id: clusterIdOf(grid, { column, row }),
      level: levelOfRank(rank),
      twin: twins.get(twinId) ?? null,
    })),
    more: rows.length > shown.length,
  }
}

/** Joins `twins t` with their kept colours `m`; the states of a twin are in its scope. */
function joinKeptColors(colors: MarkerColors, stateScopeIds: readonly number[]) {
  return sql`left join unnest(${int4Array([...colors.keys()])}::int4[], ${int4Array([...colors.values()])}::int4[]) as m (id, color)
    on m.id = t.id and t.scope_id = any(${ints(stateScopeIds)})`
}

/** Twins by id, in their order. The caller must have checked the scopes. */
async function readPlaces(db: Executor, { scopes }: MapQuery, ids: readonly number[]): Promise<TwinPlace[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Omit<TwinPlace, 'level'> & { rank: number | null }>`
    select t.id, t.title, t.type, t.icon, t.latitude, t.longitude, ${worstRank(scopes.states)} as rank
    from unnest(${ints(ids)}) with ordinality as wanted (id, place)
    join twins t on t.id = wanted.id
    where ${placed}
    order by wanted.place`.execute(db)
  return rows.map(({ rank, ...place }) => ({ ...place, level: levelOfRank(rank) }))
}

/** The twins of one square by title, and their bounds. */
export async function readTwinSquare(
  db: Executor,
  query: MapQuery,
  { grid, square }: { grid: Grid; square: Square },
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: TwinPlace[]; total: number; bounds: GeoBounds | null }> {
  const where = sql<boolean>`${selected(query)} and ${inSquare(grid, square)}`
  const [extent, page] = await Promise.all([
    sql<ExtentRow>`select ${extentColumns} from twins t where ${where}`.execute(db),
    sql<{ id: number }>`
      select t.id from twins t where ${where} order by ${titleOrder}, t.id limit ${limit} offset ${offset}`.execute(
      db,
    ),
  ])
  const { placed: total, bounds } = extentOf(extent.rows[0])
  const ids = page.rows.map(({ id }) => id)
  return { items: await readPlaces(db, query, ids), total, bounds }
}

/** Polygons of twins that are in view and large enough to be seen, the largest first. */
export async function readTwinAreas(
  db: Executor,
  query: MapQuery,
  { zoom, bounds, onlyWithStates }: { zoom: number; bounds: GeoBounds; onlyWithStates: boolean },
): Promise<{ areas: Omit<TwinArea, 'marker'>[]; moreAreas: boolean }> {
  const { west, south, east, north } = bounds
  const degreesMin = (pixelsMin * 360) / (512 * 2 ** zoom)
  const { rows } = await sql<
    Omit<TwinArea, 'level' | 'polygon' | 'marker'> & { polygon: GeoPolygon; rank: number | null }
  >`
    select t.id as "twinId", t.title, t.type, t.geo_polygon as polygon,
      t.latitude is null or t.longitude is null as "isAlone", ${worstRank(query.scopes.states)} as rank
    from twins t
    where ${selected(query)}
      and t.geo_bounds && box(point(${east}::float8, ${north}::float8), point(${west}::float8, ${south}::float8))
      and (width(t.geo_bounds) >= ${degreesMin}::float8 or height(t.geo_bounds) >= ${degreesMin}::float8)
      and ${onlyWithStates ? sql`exists (select from states s where s.twin_id = t.id)` : sql`true`}
    order by area(t.geo_bounds) desc, t.id limit ${mapAreasMax + 1}`.execute(db)
  return {
    areas: rows.slice(0, mapAreasMax).map(({ rank, ...area }) => ({ ...area, level: levelOfRank(rank) })),
    moreAreas: rows.length > mapAreasMax,
  }
}
