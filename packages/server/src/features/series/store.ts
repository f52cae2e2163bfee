import type { JsonValue } from '@leitstand/contract/common'
import type { LiveValue } from '@leitstand/contract/live'
import type { AggregationMethod } from '@leitstand/contract/series'
import type { PositionAxis, Stale, StateSource, ValueType } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import {
  boolArray,
  float8Array,
  int4Array,
  jsonbArray,
  textArray,
  timeArray,
} from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import { viewOf } from '../objects/index.ts'
import type { TimedValue } from './aggregate.ts'
import { type Asked, orderedValuesOf, valuesOf } from './days/read.ts'
import { positionAxis } from './positions.store.ts'
import { fromColumns, type ValueColumns, type ValueRow } from './values.ts'
import { type WindowSettings, windowOf } from './windows/settings.ts'

/** Metadata of a state for the pipeline. */
export interface StateMeta {
  id: number
  twinId: number
  accountId: number
  scopeId: number
  key: string
  source: StateSource
  valueType: ValueType
  /** its numbers move its twin */
  axis: PositionAxis | null
  /** it belongs to a digital twin and has limits, so that its value has a level */
  hasLevel: boolean
  /** null if missing or blank */
  transformer: string | null
  version: number
  /** how an aggregate combines its sources */
  method: AggregationMethod
  /** the period of an aggregate of a time series; null for all others */
  window: WindowSettings | null
  /** its sources come and go, so that its history cannot be computed again */
  byQuery: boolean
  /** what a source counts that has had no new value for a time; null: its last value, however old */
  stale: StaleSettings | null
  /** ids of the states this one is computed from */
  sourceIds: number[]
  /** ids of the states computed from this one */
  dependentIds: number[]
}

export interface StaleSettings {
  afterMs: number
  counts: Stale['counts']
}

/** A value to be stored. */
export interface TypedValue {
  stateId: number
  time: Date
  columns: ValueColumns
}

/** Loads states with their sources and dependents. Unknown ids are left out. */
export async function loadStates(db: Executor, ids: readonly number[]): Promise<StateMeta[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{
    id: number
    twin_id: number
    account_id: number
    scope_id: number
    key: string
    source: StateSource
    value_type: ValueType
    axis: PositionAxis | null
    has_level: boolean
    transformer: string | null
    version: number
    method: AggregationMethod | null
    window: unknown
    by_query: boolean
    stale_ms: number | null
    stale_counts: Stale['counts'] | null
  }>`
    select s.id, s.twin_id, t.account_id, t.scope_id, s.key, s.source, s.value_type, s.transformer, s.version,
      ${positionAxis()} as axis, s.has_level, s.source_settings ->> 'method' as method,
      case when s.source = 'timeseries-aggregate' then s.source_settings end as window,
      s.source_settings ? 'query' as by_query, s.source_settings -> 'stale' ->> 'counts' as stale_counts,
      (s.source_settings -> 'stale' ->> 'afterSeconds')::float8 * 1000 as stale_ms
    from ${viewOf('states')} s join ${viewOf('twins')} t on t.id = s.twin_id
    where s.id = any(${int4Array([...ids])}::int4[])`.execute(db)
  const { sources, dependents } = await loadLinks(db, ids)
  return rows.map((row) => ({
    id: row.id,
    twinId: row.twin_id,
    accountId: row.account_id,
    scopeId: row.scope_id,
    key: row.key,
    source: row.source,
    valueType: row.value_type,
    axis: row.axis,
    hasLevel: row.has_level,
    transformer: row.transformer?.trim() ? row.transformer : null,
    version: row.version,
    method: row.method ?? 'latest',
    window: row.window === null ? null : windowOf(row.window),
    byQuery: row.by_query,
    stale:
      row.stale_ms === null || row.stale_counts === null
        ? null
        : { afterMs: row.stale_ms, counts: row.stale_counts },
    sourceIds: sources.get(row.id) ?? [],
    dependentIds: dependents.get(row.id) ?? [],
  }))
}

/**
 * Sources and dependents of states. Not as subqueries of each state: while the statistics of `state_links` are
 * out of date, those read the whole table for each state.
 */
async function loadLinks(
  db: Executor,
  ids: readonly number[],
): Promise<{ sources: Map<number, number[]>; dependents: Map<number, number[]> }> {
  const stateIds = int4Array([...ids])
  const { rows } = await sql<{ id: number; is_source: boolean; ids: number[] }>`
    select state_id as id, true as is_source, array_agg(source_state_id order by source_state_id) as ids
    from ${viewOf('stateLinks')} l where state_id = any(${stateIds}::int4[]) group by state_id
    union all
    select source_state_id, false, array_agg(state_id order by state_id)
    from ${viewOf('stateLinks')} l where source_state_id = any(${stateIds}::int4[]) group by source_state_id`.execute(
    db,
  )
  const listed = (isSource: boolean) =>
    new Map(rows.flatMap((row) => (row.is_source === isSource ? [[row.id, row.ids] as const] : [])))
  return { sources: listed(true), dependents: listed(false) }
}

/** Statement for the times of the current values of these states. */
export function readCurrentTimes(stateIds: readonly number[]): RawBuilder<{ state_id: number; time: Date }> {
  return sql`
    /* prepared: series.readCurrentTimes */
    select state_id, time from state_current where state_id = any(${int4Array(stateIds)}::int4[])`
}

/**
 * Statement for the usual batch: numbers that are not stored yet. Fails (unique key) if one is.
 * Updates current values where the latest of a state is newer.
 * @param isLatest for each value whether it is the latest of its state
 * @returns rows of the states that had a current value; `newest`: the given latest value is now the current
 *   one
 */
export function storeNewNumbers(
  values: readonly { stateId: number; time: Date; value: number }[],
  isLatest: readonly boolean[],
): RawBuilder<{ state_id: number; newest: boolean }> {
  return sql`
    /* prepared: series.storeNewNumbers */
    with v as materialized (
      select * from unnest(${int4Array(values.map(({ stateId }) => stateId))}::int4[],
        ${timeArray(values.map(({ time }) => time))}::timestamptz[],
        ${float8Array(values.map(({ value }) => value))}::float8[], ${boolArray(isLatest)}::bool[])
        as v (state_id, time, num, is_latest)),
    kept as (insert into state_values (state_id, time, num) select state_id, time, num from v)
    update state_current c set
      time = greatest(c.time, v.time),
      num = case when c.time < v.time then v.num else c.num end,
      txt = case when c.time >= v.time then c.txt end,
      bool = case when c.time >= v.time then c.bool end,
      json = case when c.time >= v.time then c.json end
    from v where c.state_id = v.state_id and v.is_latest
    returning c.state_id, c.time = v.time as newest`
}

/** Statement for the first values of states. */
export function storeFirstNumbers(
  values: readonly { stateId: number; time: Date; value: number }[],
): RawBuilder<unknown> {
  return sql`
    /* prepared: series.storeFirstNumbers */
    insert into state_current (state_id, time, num)
    select * from unnest(${int4Array(values.map(({ stateId }) => stateId))}::int4[],
      ${timeArray(values.map(({ time }) => time))}::timestamptz[],
      ${float8Array(values.map(({ value }) => value))}::float8[])`
}

/**
 * Statement for all other numbers: several for a state, or possibly stored already.
 * @param values at most one per state and millisecond
 * @param replace for computed values: replaces a stored value of the same state and millisecond, which is
 *   kept otherwise
 * @returns rows with the ids of the states whose current value changed
 */
export function storeNumbers(
  values: readonly { stateId: number; time: Date; value: number }[],
  replace: boolean,
): RawBuilder<{ state_id: number }> {
  return sql`
    /* prepared: ${sql.raw(replace ? 'series.replaceNumbers' : 'series.storeNumbers')} */
    with v as materialized (
      select * from unnest(${int4Array(values.map(({ stateId }) => stateId))}::int4[],
        ${timeArray(values.map(({ time }) => time))}::timestamptz[],
        ${float8Array(values.map(({ value }) => value))}::float8[]) as v (state_id, time, num)),
    kept as (
      insert into state_values (state_id, time, num) select * from v
      on conflict (state_id, time) ${replace ? replaceValue : sql`do nothing`}),
    latest as materialized (select distinct on (state_id) * from v order by state_id, time desc),
    moved as (
      update state_current c set time = l.time, num = l.num, txt = null, bool = null, json = null from latest l
      where c.state_id = l.state_id and (c.time < l.time or (${replace}::boolean and c.time = l.time))
      returning c.state_id),
    added as (
      insert into state_current (state_id, time, num)
      select state_id, time, num from latest l where not exists (select from state_current c where c.state_id = l.state_id)
      returning state_id)
    select state_id from moved union all select state_id from added`
}

/** Like `storeNumbers`, for texts, booleans and JSON. */
export function storeOthers(
  values: readonly TypedValue[],
  replace: boolean,
): RawBuilder<{ state_id: number }> {
  return sql`
    /* prepared: ${sql.raw(replace ? 'series.replaceOthers' : 'series.storeOthers')} */
    with v as materialized (
      select * from unnest(${int4Array(values.map(({ stateId }) => stateId))}::int4[],
        ${timeArray(values.map(({ time }) => time))}::timestamptz[],
        ${textArray(values.map(({ columns }) => columns.txt))}::text[],
        ${boolArray(values.map(({ columns }) => columns.bool))}::bool[],
        ${jsonbArray(values.map(({ columns }) => columns.json))}::jsonb[]) as v (state_id, time, txt, bool, json)),
    kept as (
      insert into state_values (state_id, time, txt, bool, json) select * from v
      on conflict (state_id, time) ${replace ? replaceValue : sql`do nothing`}),
    latest as materialized (select distinct on (state_id) * from v order by state_id, time desc),
    moved as (
      update state_current c set time = l.time, num = null, txt = l.txt, bool = l.bool, json = l.json from latest l
      where c.state_id = l.state_id and (c.time < l.time or (${replace}::boolean and c.time = l.time))
      returning c.state_id),
    added as (
      insert into state_current (state_id, time, txt, bool, json)
      select state_id, time, txt, bool, json from latest l
      where not exists (select from state_current c where c.state_id = l.state_id)
      returning state_id)
    select state_id from moved union all select state_id from added`
}

const replaceValue = sql`do update set num = excluded.num, txt = excluded.txt, bool = excluded.bool, json = excluded.json`

/** States whose current values are read at once. */
const currentAtOnce = 2_000

/** Current values by state id; states without a value are missing. */
export async function readCurrent(
  db: Executor,
  stateIds: readonly number[],
): Promise<Map<number, TimedValue>> {
  if (stateIds.length === 0) return new Map()
  const current = new Map<number, TimedValue>()
  // In pieces: an answer with 50 000 rows would hold up everything else while it is read.
  for (let first = 0; first < stateIds.length; first += currentAtOnce) {
    const { rows } = await sql<ValueRow & { state_id: number; time: Date }>`
      select state_id, time, num, txt, bool, json from state_current
      where state_id = any(${int4Array(stateIds.slice(first, first + currentAtOnce))}::int4[])`.execute(db)
    for (const row of rows) current.set(row.state_id, { value: fromColumns(row), time: row.time })
  }
  return current
}

/**
 * Values of one state, oldest first, up to and including `until`.
 * @param options the last n, or all since a time; at most `max` (the newest of them)
 */
export async function readRecent(
  db: Executor,
  stateId: number,
  options: { lastValues?: number; since?: Date; until: Date },
  max: number,
): Promise<TimedValue[]> {
  const { since, until, lastValues } = options
  const asked = { state: sql`${stateId}`, until, ...(since === undefined ? {} : { after: since }) }
  const { rows } = await sql<ValueRow & { time: Date }>`
    select time, num, txt, bool, json from ${orderedValuesOf(asked, 'desc', Math.min(lastValues ?? max, max))} as v`.execute(
    db,
  )
  return rows.reverse().map((row) => ({ value: fromColumns(row), time: row.time }))
}

/** Deletes current values after a change of the value type. The history keeps them. */
export async function clearCurrent(db: Executor, stateIds: readonly number[]): Promise<void> {
  if (stateIds.length === 0) return
  await sql`delete from state_current where state_id = any(${[...stateIds]}::int[])`.execute(db)
}

/** States with source random whose interval begins in this second (since 1970). */
export async function readRandomStates(
  db: Executor,
  second: number,
): Promise<{ id: number; min: number; max: number; decimals: number | null }[]> {
  const { rows } = await sql<{ id: number; min: number; max: number; decimals: number | null }>`
    select s.id, (s.source_settings ->> 'min')::float8 as min, (s.source_settings ->> 'max')::float8 as max, s.decimals
    from ${viewOf('states')} s join ${viewOf('twins')} t on t.id = s.twin_id
    where s.source = 'random' and s.value_type = 'number' and not t.disabled
      and s.source_settings ->> 'min' is not null and s.source_settings ->> 'max' is not null
      and ${second}::bigint % coalesce((s.source_settings ->> 'everySeconds')::int, 60) = 0
    order by s.id limit 10000`.execute(db)
  return rows
}

/** Title, unit, twin and time zone of a series. */
export interface SeriesHead {
  stateId: number
  key: string
  title: string
  unit: string
  twinId: number
  twinTitle: string
  timeZone: string
  decimals: number | null
}

/** Heads of the states whose twin is in one of the scopes of its category. Null scopes: no restriction. */
export async function readHeads(
  db: Executor,
  stateIds: readonly number[],
  scopes: { digitalTwin: readonly number[]; virtualDevice: readonly number[] } | null,
): Promise<Map<number, SeriesHead>> {
  const { rows } = await sql<{
    id: number
    key: string
    title: string
    unit: string
    twin_id: number
    twin_title: string
    time_zone: string
    decimals: number | null
  }>`
    select s.id, s.key, s.title, s.unit, s.decimals, t.id as twin_id, t.title as twin_title, a.time_zone
    from ${viewOf('states')} s join ${viewOf('twins')} t on t.id = s.twin_id join accounts a on a.id = t.account_id
    where s.id = any(${[...stateIds]}::int[])
      and (${scopes === null}::boolean
        or (t.category = 'digitalTwin' and t.scope_id = any(${[...(scopes?.digitalTwin ?? [])]}::int[]))
        or (t.category = 'virtualDevice' and t.scope_id = any(${[...(scopes?.virtualDevice ?? [])]}::int[])))`.execute(
    db,
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        stateId: row.id,
        key: row.key,
        title: row.title,
        unit: row.unit,
        twinId: row.twin_id,
        twinTitle: row.twin_title,
        timeZone: row.time_zone,
        decimals: row.decimals,
      },
    ]),
  )
}

const wanted = sql`wanted.id`

/** A range without a bound where it is null. */
function openRange({
  start,
  end,
}: {
  start: Date | null
  end: Date | null
}): Pick<Asked, 'before' | 'since'> {
  return { ...(start === null ? {} : { since: start }), ...(end === null ? {} : { before: end }) }
}

/** Values in a range, ascending; at most the newest `max` per state. */
export async function readRange(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date; end: Date },
  max: number,
): Promise<Map<number, { timeMs: number; value: JsonValue }[]>> {
  const { rows } = await sql<ValueRow & { state_id: number; ms: number }>`
    select v.* from unnest(${[...stateIds]}::int[]) as wanted (id),
    lateral (
      select state_id, extract(epoch from time)::float8 * 1000 as ms, num, txt, bool, json
      from ${orderedValuesOf({ state: wanted, since: range.start, before: range.end }, 'desc', max)} as v
    ) as v
    order by v.state_id, v.ms`.execute(db)
  const byState = new Map<number, { timeMs: number; value: JsonValue }[]>(stateIds.map((id) => [id, []]))
  for (const row of rows)
    byState.get(row.state_id)?.push({ timeMs: Math.round(row.ms), value: fromColumns(row) })
  return byState
}

/**
 * The smallest and largest number of each of `stretches` equal parts of a range, ascending, for ranges with
 * more values than a chart can show.
 */
export async function readEnvelope(
  db: Executor,
  stateId: number,
  range: { start: Date; end: Date },
  stretches: number,
): Promise<{ timeMs: number; value: number }[]> {
  const { rows } = await sql<{ low: number; high: number; low_ms: number; high_ms: number }>`
    select min(num) as low, max(num) as high,
      extract(epoch from (array_agg(time order by num, time))[1])::float8 * 1000 as low_ms,
      extract(epoch from (array_agg(time order by num desc, time))[1])::float8 * 1000 as high_ms
    from ${valuesOf({ state: sql`${stateId}`, since: range.start, before: range.end, where: sql`num is not null` })} as v
    group by width_bucket(extract(epoch from time)::float8, extract(epoch from ${range.start}::timestamptz)::float8,
      extract(epoch from ${range.end}::timestamptz)::float8, ${stretches}::int)
    order by min(time)`.execute(db)
  return rows.flatMap((row) => {
    const low = { timeMs: Math.round(row.low_ms), value: row.low }
    const high = { timeMs: Math.round(row.high_ms), value: row.high }
    if (low.timeMs === high.timeMs) return [low]
    return low.timeMs < high.timeMs ? [low, high] : [high, low]
  })
}

/** Newest rows of several states for a table. */
export async function readRows(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date | null; end: Date | null },
  limit: number,
): Promise<{ stateId: number; time: Date; value: JsonValue }[]> {
  const { rows } = await sql<ValueRow & { state_id: number; time: Date }>`
    select v.* from unnest(${[...stateIds]}::int[]) as wanted (id),
    lateral ${orderedValuesOf({ state: wanted, ...openRange(range) }, 'desc', limit)} as v
    order by v.time desc, v.state_id limit ${limit}`.execute(db)
  return rows.map((row) => ({ stateId: row.state_id, time: row.time, value: fromColumns(row) }))
}

/** Whether states have more than `rowsMax` values in a range (end excluded). */
export async function hasMoreRows(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date | null; end: Date | null },
  rowsMax: number,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from unnest(${int4Array([...stateIds])}::int4[]) as wanted (id),
      lateral (
        select from ${valuesOf({ state: wanted, ...openRange(range) })} as v limit ${rowsMax + 1}
      ) as v
      offset ${rowsMax} limit 1) as found`.execute(db)
  return rows[0]?.found ?? false
}

/**
 * Values of several states, newest first, those at the same time by falling id. The database looks at the values of each
 * state from the newest on, so a condition that few values meet takes as long as its statement may.
 * @param options.before only what follows this row
 */
export async function searchRows(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date | null; end: Date | null },
  options: {
    min?: number | undefined
    max?: number | undefined
    before?: { time: Date; stateId: number } | undefined
    limit: number
  },
): Promise<{ stateId: number; time: Date; value: JsonValue }[]> {
  const { min = null, max = null, before, limit } = options
  const upTo = before === undefined ? {} : { until: before.time }
  const where = sql`(${min}::float8 is null or num >= ${min}::float8) and (${max}::float8 is null or num <= ${max}::float8)
    and (${before === undefined}::boolean or time < ${before?.time ?? null}::timestamptz
      or (time = ${before?.time ?? null}::timestamptz and wanted.id < ${before?.stateId ?? null}::int4))`
  const { rows } = await sql<ValueRow & { state_id: number; time: Date }>`
    select v.* from unnest(${int4Array([...stateIds])}::int4[]) as wanted (id),
    lateral ${orderedValuesOf({ state: wanted, ...openRange(range), ...upTo, where }, 'desc', limit)} as v
    order by v.time desc, v.state_id desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ stateId: row.state_id, time: row.time, value: fromColumns(row) }))
}

/** Whether a twin or device is in one of the scopes of its category. */
export async function twinVisible(
  db: Executor,
  twinId: number,
  scopes: { digitalTwin: readonly number[]; virtualDevice: readonly number[] },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${viewOf('twins')} t
    where t.id = ${twinId}
      and ((t.category = 'digitalTwin' and t.scope_id = any(${[...scopes.digitalTwin]}::int[]))
        or (t.category = 'virtualDevice' and t.scope_id = any(${[...scopes.virtualDevice]}::int[])))`.execute(
    db,
  )
  return rows.length > 0
}

/** Current values of the states of a twin, at most 1000, newest first. */
export async function readTwinCurrent(db: Executor, twinId: number): Promise<LiveValue[]> {
  const { rows } = await sql<ValueRow & { state_id: number; key: string; time: Date }>`
    select c.state_id, s.key, c.time, c.num, c.txt, c.bool, c.json
    from ${viewOf('states')} s join state_current c on c.state_id = s.id
    where s.twin_id = ${twinId} order by c.time desc limit 1000`.execute(db)
  return rows.map((row) => ({
    stateId: row.state_id,
    twinId,
    key: row.key,
    value: fromColumns(row),
    timeMs: row.time.getTime(),
  }))
}
