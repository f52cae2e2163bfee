import type { GeoBounds } from '@leitstand/contract/geo'
import {
  type Marker,
  type MarkerColor,
  type Markers,
  type MarkerValue,
  markerColors,
  markerLimits,
} from '@leitstand/contract/mapSettings'
import type { TwinArea, TwinCluster } from '@leitstand/contract/twins'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { clusterIdOf, type Grid, type Square } from '../../../platform/geo/grid.ts'
import { ints, texts } from './filters.ts'
import { columnOf, type FoundCluster, type MapQuery, rowOf, selected, within } from './geo.ts'
import { levelOfRank, levelRank, worstRank } from './levels.ts'
import { askedRules, colorOfLevel, colorOfRank, fits } from './markerColors.ts'

/** What a map found, without what its places show. */
interface Found {
  items: FoundCluster[]
  more: boolean
  areas: Omit<TwinArea, 'marker'>[]
  moreAreas: boolean
}

interface Asked {
  query: MapQuery
  grid: Grid
  bounds: GeoBounds
  markers: Markers | undefined
  /** the clusters have their colours already */
  isColored: boolean
}

/** Whether anything is asked of the places besides their levels. */
export const asksMarkers = (markers: Markers | undefined): markers is Markers =>
  markers !== undefined && markers.states.length + markers.operators.length > 0

/** Adds colours, icons and values to the places of a map. */
export async function withMarkers(
  db: Executor,
  found: Found,
  { query, grid, bounds, markers, isColored }: Asked,
): Promise<Omit<Found, 'items' | 'areas'> & { items: TwinCluster[]; areas: TwinArea[] }> {
  const alone = found.items.flatMap(({ twin }) => (twin ? twin.id : []))
  const [places, clusters] = !asksMarkers(markers)
    ? [new Map<number, Marker>(), new Map<string, MarkerColor>()]
    : await Promise.all([
        readMarkers(db, query, markers, [...new Set([...alone, ...found.areas.map(({ twinId }) => twinId)])]),
        isColored || alone.length === found.items.length
          ? new Map<string, MarkerColor>()
          : readColors(db, query, markers, grid, bounds),
      ])
  return {
    ...found,
    items: found.items.map(({ color: kept, ...cluster }) => {
      const color = kept ?? clusters.get(cluster.id)
      const ofCluster = color === undefined ? null : { color, icon: null, values: [] }
      return { ...cluster, marker: cluster.twin ? (places.get(cluster.twin.id) ?? null) : ofCluster }
    }),
    areas: found.areas.map((area) => ({ ...area, marker: places.get(area.twinId) ?? null })),
  }
}

interface MarkerRow {
  id: number
  rule: number | null
  shown: number | null
  worst: number | null
  values: MarkerValue[] | null
}

async function readMarkers(
  db: Executor,
  { scopes }: MapQuery,
  markers: Markers,
  ids: readonly number[],
): Promise<Map<number, Marker>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<MarkerRow>`
    select t.id, ${ruleOf(markers, scopes.states)} as rule, ${shownRank(markers, scopes.states)} as shown,
      ${worstRank(scopes.states)} as worst, (
        select json_agg(json_build_object('stateId', v.id, 'key', v.key, 'title', v.title, 'unit', v.unit,
          'decimals', v.decimals, 'valueType', v.value_type, 'lowerBound', v.lower_bound, 'upperBound', v.upper_bound,
          'visualization', v.visualization, 'value', v.value) order by v.place, v.position, v.id)
        from (
          select s.id, s.key, s.title, s.unit, s.decimals, s.value_type, s.lower_bound, s.upper_bound, s.visualization,
            s.position, a.place, coalesce(to_jsonb(c.num), to_jsonb(left(c.txt, 100)), to_jsonb(c.bool)) as value
          from ${asked(markers.states)} join states s on s.twin_id = t.id and ${isNamed} and s.scope_id = any(${ints(scopes.states)})
          join state_current c on c.state_id = s.id
          where s.value_type <> 'json' and (c.num is not null or c.txt is not null or c.bool is not null)
          order by a.place, s.position, s.id limit ${markerLimits.valuesMax}) as v) as values
    from twins t where t.id = any(${ints(ids)})`.execute(db)
  return new Map(
    rows.map(({ id, rule, shown, worst, values }) => {
      const fitting = rule === null ? undefined : markers.operators[rule - 1]
      const level = levelOfRank(shown ?? worst)
      const color = fitting?.color ?? (level === null ? null : colorOfLevel[level])
      return [id, { color, icon: fitting?.icon ?? null, values: values ?? [] }]
    }),
  )
}

/** The most urgent colour of the twins of each square in view. */
async function readColors(
  db: Executor,
  query: MapQuery,
  markers: Markers,
  grid: Grid,
  bounds: GeoBounds,
): Promise<Map<string, MarkerColor>> {
  const { states } = query.scopes
  const byRule = sql`(${ints(markers.operators.map(({ color }) => markerColors.indexOf(color)))})[${ruleOf(markers, states)}]`
  const byLevel = colorOfRank(sql`coalesce(${shownRank(markers, states)}, ${worstRank(states)})`)
  const { rows } = await sql<Square & { color: number | null }>`
    select ${columnOf(grid)} as "column", ${rowOf(grid)} as row, max(coalesce(${byRule}, ${byLevel})) as color
    from twins t where ${selected(query)} and ${within(bounds)} group by 1, 2`.execute(db)
  return new Map(
    rows.flatMap(({ color, ...square }) => {
      const named = color === null ? undefined : markerColors[color]
      return named ? [[clusterIdOf(grid, square), named] as const] : []
    }),
  )
}

/** Rows `a` with the keys or titles of states, in their order. */
const asked = (names: readonly string[]) => sql`unnest(${texts(names)}) with ordinality as a (name, place)`

/** Whether a state `s` is meant by `a`. */
const isNamed = sql`(s.key = a.name or lower(s.title) = lower(a.name))`

/** The worst rank in `levels` of those states of `twins t` that are shown. */
function shownRank({ states }: Markers, scopeIds: readonly number[]): RawBuilder<number | null> {
  if (states.length === 0) return sql`null::int`
  return sql`(select max(${levelRank}) from ${asked(states)}
    join states s on s.twin_id = t.id and ${isNamed} and s.scope_id = any(${ints(scopeIds)})
    join state_current c on c.state_id = s.id)`
}

/** The place, from 1, of the first operator that fits a state of `twins t`. */
function ruleOf(markers: Markers, scopeIds: readonly number[]): RawBuilder<number | null> {
  if (markers.operators.length === 0) return sql`null::int`
  return sql`(select min(a.place)::int from ${askedRules(markers)}
    join states s on s.twin_id = t.id and ${isNamed} and s.scope_id = any(${ints(scopeIds)})
    join state_current c on c.state_id = s.id where ${fits})`
}
