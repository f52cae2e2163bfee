import type { JsonValue } from '@leitstand/contract/common'
import type { WidgetData } from '@leitstand/contract/dashboards'
import { Visualization } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { fromColumns, orderedValuesOf, type ValueRow } from '../../series/index.ts'
import { inScopesByCategory, ints, type ScopesByCategory, texts } from '../../twins/index.ts'

/** A state that a widget refers to. */
export interface WidgetState {
  id: number
  key: string
  twinId: number
  title: string
  twinTitle: string
  category: 'digitalTwin' | 'virtualDevice'
  unit: string
  decimals: number | null
  valueType: string
  /** whether it is in the requested scopes */
  visible: boolean
}

/** The states that exist, in the order of the ids, and whether the caller may see them. */
export async function readStates(
  db: Executor,
  ids: readonly number[],
  scopes: ScopesByCategory,
): Promise<WidgetState[]> {
  const { rows } = await sql<WidgetState>`
    select s.id, s.key, t.id as "twinId", s.title, t.title as "twinTitle", t.category, s.unit, s.decimals, s.value_type as "valueType",
      ${inScopesByCategory(scopes)} as visible
    from unnest(${ints(ids)}) with ordinality as wanted (id, place)
    join states s on s.id = wanted.id join twins t on t.id = s.twin_id
    order by wanted.place`.execute(db)
  return rows
}

/** The twins that exist, and whether the caller may see them. */
export async function readTwins(
  db: Executor,
  ids: readonly number[],
  scopes: ScopesByCategory,
): Promise<{ id: number; accountId: number; scopeId: number; visible: boolean }[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; accountId: number; scopeId: number; visible: boolean }>`
    select t.id, t.account_id as "accountId", t.scope_id as "scopeId", ${inScopesByCategory(scopes)} as visible
    from twins t where t.id = any(${ints(ids)})`.execute(db)
  return rows
}

/** The earliest or latest value in a range, by state. */
export async function readEnd(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date; end: Date },
  end: 'earliest' | 'latest',
): Promise<Map<number, { value: JsonValue; time: Date }>> {
  const { rows } = await sql<ValueRow & { id: number; time: Date }>`
    select wanted.id, v.* from unnest(${ints(stateIds)}) as wanted (id) cross join lateral (
      select time, num, txt, bool, json from ${orderedValuesOf(
        { state: sql`wanted.id`, since: range.start, before: range.end },
        end === 'latest' ? 'desc' : 'asc',
        1,
      )} as v) as v`.execute(db)
  return new Map(rows.map((row) => [row.id, { value: fromColumns(row), time: row.time }]))
}

/** The twins that a table or a map shows. */
export interface Selection {
  /** every twin and device below this one, however deep */
  parentTwinId: number | null
  /** explicitly selected twins, always shown */
  twinIds: readonly number[]
  /** any of these; empty: any */
  tags: readonly string[]
  /** where to search if neither a parent nor twins are given */
  accountId: number
}

/**
 * Common table expressions `below` and `chosen`: the visible twins of a selection. Use `everything` for sets
 * that are filtered for each reader later.
 */
function chosen(selection: Selection, scopes: ScopesByCategory | 'everything'): RawBuilder<unknown> {
  const { parentTwinId, twinIds, tags, accountId } = selection
  const anywhere = parentTwinId === null && twinIds.length === 0
  return sql`
    recursive below (id) as (
      select id from twins where parent_id = ${parentTwinId}::int
      union select c.id from twins c join below b on c.parent_id = b.id),
    chosen as (
      select t.id, t.title, t.category, t.latitude, t.longitude, t.id = any(${ints(twinIds)}) as named from twins t
      where ${scopes === 'everything' ? sql`true` : inScopesByCategory(scopes)}
        and (t.id in (select id from below) or t.id = any(${ints(twinIds)})
          or (${anywhere}::boolean and ${tags.length > 0}::boolean and t.account_id = ${accountId}))
        and (${tags.length === 0}::boolean or t.tags && ${texts(tags)} or t.id = any(${ints(twinIds)})))`
}

/** The keys that most twins of a selection have, for a table without configured columns. */
export async function readCommonKeys(
  db: Executor,
  selection: Selection,
  scopes: ScopesByCategory,
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    with ${chosen(selection, scopes)}
    select s.key from states s where s.twin_id in (select id from chosen)
    group by s.key order by count(*) desc, min(s.position), s.key limit ${max}`.execute(db)
  return rows.map(({ key }) => key)
}

type Table = NonNullable<WidgetData['table']>

/**
 * Twins with the current values of some of their states. Twins that have none of the states are left out
 * unless they are selected explicitly.
 */
export async function readTable(
  db: Executor,
  selection: Selection,
  scopes: ScopesByCategory,
  keys: readonly string[],
  limit: number,
): Promise<Table> {
  const { rows } = await sql<
    ValueRow & {
      twin_id: number
      title: string
      category: Table['rows'][number]['category']
      total: number
      state_id: number | null
      key: string | null
      state_title: string
      unit: string
      time: Date | null
    }
  >`
    with ${chosen(selection, scopes)},
    page as (
      select *, count(*) over () as total from chosen
      where named or exists (select from states s where s.twin_id = chosen.id and s.key = any(${texts(keys)}))
      order by title collate natural_order, id limit ${limit})
    select page.id as twin_id, page.title, page.category, page.total, s.id as state_id, s.key, s.title as state_title,
      s.unit, c.time, c.num, c.txt, c.bool, c.json
    from page
    left join states s on s.twin_id = page.id and s.key = any(${texts(keys)})
    left join state_current c on c.state_id = s.id
    order by page.title collate natural_order, page.id`.execute(db)
  const columns = keys.map((key) => {
    const found = rows.find((row) => row.key === key)
    return { key, title: found?.state_title ?? key, unit: found?.unit ?? '' }
  })
  const byTwin = Map.groupBy(rows, (row) => row.twin_id)
  const table = [...byTwin.values()].map((cells) => {
    const [head] = cells as [(typeof cells)[number]]
    return {
      twinId: head.twin_id,
      title: head.title,
      category: head.category,
      cells: keys.map((key) => {
        const cell = cells.find((row) => row.key === key)
        if (cell?.state_id == null) return null
        return { stateId: cell.state_id, value: fromColumns(cell), time: cell.time?.toISOString() ?? null }
      }),
    }
  })
  return { columns, rows: table, total: rows[0]?.total ?? 0 }
}

type MapAnswer = NonNullable<WidgetData['map']>

/** Twins of a selection that have a position, with the current value of the state with this key. */
export async function readMap(
  db: Executor,
  selection: Selection,
  scopes: ScopesByCategory,
  key: string | null,
  limit: number,
): Promise<MapAnswer> {
  const { rows } = await sql<
    ValueRow & {
      twin_id: number
      title: string
      category: MapAnswer['points'][number]['category']
      latitude: number
      longitude: number
      total: number
      state_id: number | null
      state_title: string
      unit: string
      decimals: number | null
      visualization: unknown
      time: Date | null
    }
  >`
    with ${chosen(selection, scopes)},
    page as (
      select *, count(*) over () as total from chosen where latitude is not null and longitude is not null
      order by id limit ${limit})
    select page.id as twin_id, page.title, page.category, page.latitude, page.longitude, page.total, s.id as state_id,
      s.title as state_title, s.unit, s.decimals, s.visualization, c.time, c.num, c.txt, c.bool, c.json
    from page
    left join states s on s.twin_id = page.id and s.key = ${key}
    left join state_current c on c.state_id = s.id
    order by page.id`.execute(db)
  const points = rows.map((row) => ({
    twinId: row.twin_id,
    title: row.title,
    category: row.category,
    latitude: row.latitude,
    longitude: row.longitude,
    state:
      row.state_id === null
        ? null
        : {
            stateId: row.state_id,
            title: row.state_title,
            unit: row.unit,
            decimals: row.decimals,
            visualization: Visualization.parse(row.visualization),
            value: fromColumns(row),
            time: row.time?.toISOString() ?? null,
          },
  }))
  return { points, total: rows[0]?.total ?? 0 }
}

/** A state watched on a dashboard, with the fields that decide who may see it. */
export interface WatchedState {
  id: number
  category: keyof ScopesByCategory
  scopeId: number
}

/** The states with these ids, and those with these keys on the twins of the selections. */
export async function readWatched(
  db: Executor,
  stateIds: readonly number[],
  selections: readonly { selection: Selection; keys: readonly string[] | 'all' }[],
  max: number,
): Promise<WatchedState[]> {
  const found = new Map<number, WatchedState>()
  const own = await sql<WatchedState>`
    select s.id, t.category, t.scope_id as "scopeId" from states s join twins t on t.id = s.twin_id
    where s.id = any(${ints(stateIds)})`.execute(db)
  for (const state of own.rows) found.set(state.id, state)
  for (const { selection, keys } of selections) {
    const { rows } = await sql<WatchedState>`
      with ${chosen(selection, 'everything')}
      select s.id, t.category, t.scope_id as "scopeId" from states s join twins t on t.id = s.twin_id
      where s.twin_id in (select id from chosen) and (${keys === 'all'}::boolean or s.key = any(${texts(keys === 'all' ? [] : keys)}))
      limit ${max}`.execute(db)
    for (const state of rows) if (found.size < max) found.set(state.id, state)
  }
  return [...found.values()]
}

/** Current values of these states with a time after this one. */
export async function readChanged(
  db: Executor,
  stateIds: readonly number[],
  since: Date,
): Promise<{ stateId: number; twinId: number; key: string; value: JsonValue; timeMs: number }[]> {
  const { rows } = await sql<ValueRow & { state_id: number; twin_id: number; key: string; time: Date }>`
    select c.state_id, s.twin_id, s.key, c.time, c.num, c.txt, c.bool, c.json
    from state_current c join states s on s.id = c.state_id
    where c.state_id = any(${ints(stateIds)}) and c.time > ${since} order by c.time`.execute(db)
  return rows.map((row) => ({
    stateId: row.state_id,
    twinId: row.twin_id,
    key: row.key,
    value: fromColumns(row),
    timeMs: row.time.getTime(),
  }))
}
