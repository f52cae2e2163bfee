import type { JsonValue } from '@leitstand/contract/common'
import type { LiveValue } from '@leitstand/contract/live'
import type { AggregationMethod } from '@leitstand/contract/series'
import type { StateSource, ValueType } from '@leitstand/contract/states'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { TimedValue } from './aggregate.ts'
import { fromColumns, type ValueColumns, type ValueRow } from './values.ts'

/** What the pipeline knows about a state. */
export interface StateMeta {
  id: number
  twinId: number
  accountId: number
  scopeId: number
  key: string
  source: StateSource
  valueType: ValueType
  transformer: string | null
  version: number
  /** how an aggregate combines its sources */
  method: AggregationMethod
  /** states this one is computed from */
  sourceIds: number[]
  /** states computed from this one */
  dependentIds: number[]
}

/** A value on its way into the tables. */
export interface TypedValue {
  stateId: number
  time: Date
  columns: ValueColumns
}

/** Loads states with what they are computed from and what is computed from them. Unknown ids are left out. */
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
    transformer: string | null
    version: number
    method: AggregationMethod | null
    source_ids: number[] | null
    dependent_ids: number[] | null
  }>`
    select s.id, s.twin_id, t.account_id, t.scope_id, s.key, s.source, s.value_type, s.transformer, s.version,
      s.source_settings ->> 'method' as method,
      (select array_agg(l.source_state_id) from state_links l where l.state_id = s.id) as source_ids,
      (select array_agg(l.state_id) from state_links l where l.source_state_id = s.id) as dependent_ids
    from states s join twins t on t.id = s.twin_id
    where s.id = any(${[...ids]}::int[])`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    twinId: row.twin_id,
    accountId: row.account_id,
    scopeId: row.scope_id,
    key: row.key,
    source: row.source,
    valueType: row.value_type,
    transformer: row.transformer,
    version: row.version,
    method: row.method ?? 'latest',
    sourceIds: row.source_ids ?? [],
    dependentIds: row.dependent_ids ?? [],
  }))
}

const replaceValue = sql`do update set num = excluded.num, txt = excluded.txt, bool = excluded.bool, json = excluded.json`

/**
 * Stores values; a second value of the same state and millisecond is the same value and is left out.
 * @param replace computed values take the place of an earlier one of the same millisecond instead
 */
export async function insertValues(
  db: Executor,
  values: readonly TypedValue[],
  replace = false,
): Promise<void> {
  await sql`
    insert into state_values (state_id, time, num, txt, bool, json)
    select state_id, time, num, txt, bool, json::jsonb
    from unnest(${values.map((value) => value.stateId)}::int[], ${values.map((value) => value.time)}::timestamptz[],
      ${values.map((value) => value.columns.num)}::float8[], ${values.map((value) => value.columns.txt)}::text[],
      ${values.map((value) => value.columns.bool)}::boolean[], ${values.map((value) => value.columns.json)}::text[])
      as v (state_id, time, num, txt, bool, json)
    on conflict (state_id, time) ${replace ? replaceValue : sql`do nothing`}`.execute(db)
}

/**
 * Sets current values where they are newer.
 * @param values at most one per state
 * @param replace equally new ones are replaced too
 * @returns ids of the states whose current value changed
 */
export async function updateCurrent(
  db: Executor,
  values: readonly TypedValue[],
  replace = false,
): Promise<Set<number>> {
  const { rows } = await sql<{ state_id: number }>`
    insert into state_current as c (state_id, time, num, txt, bool, json)
    select state_id, time, num, txt, bool, json::jsonb
    from unnest(${values.map((value) => value.stateId)}::int[], ${values.map((value) => value.time)}::timestamptz[],
      ${values.map((value) => value.columns.num)}::float8[], ${values.map((value) => value.columns.txt)}::text[],
      ${values.map((value) => value.columns.bool)}::boolean[], ${values.map((value) => value.columns.json)}::text[])
      as v (state_id, time, num, txt, bool, json)
    order by state_id
    on conflict (state_id) do update
      set time = excluded.time, num = excluded.num, txt = excluded.txt, bool = excluded.bool, json = excluded.json
      where c.time < excluded.time or (${replace}::boolean and c.time = excluded.time)
    returning state_id`.execute(db)
  return new Set(rows.map((row) => row.state_id))
}

/** Current values by state id; states without a value are missing. */
export async function readCurrent(
  db: Executor,
  stateIds: readonly number[],
): Promise<Map<number, TimedValue>> {
  if (stateIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('state_current')
    .select(['state_id', 'time', 'num', 'txt', 'bool', 'json'])
    .where('state_id', 'in', [...stateIds])
    .execute()
  return new Map(rows.map((row) => [row.state_id, { value: fromColumns(row as ValueRow), time: row.time }]))
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
  let query = db
    .selectFrom('state_values')
    .select(['time', 'num', 'txt', 'bool', 'json'])
    .where('state_id', '=', stateId)
    .where('time', '<=', options.until)
    .orderBy('time', 'desc')
    .limit(Math.min(options.lastValues ?? max, max))
  if (options.since !== undefined) query = query.where('time', '>', options.since)
  const rows = await query.execute()
  return rows.reverse().map((row) => ({ value: fromColumns(row as ValueRow), time: row.time }))
}

/** Moves twins whose position states changed; null keeps what is there. */
export async function movePositions(
  db: Executor,
  moves: readonly { twinId: number; latitude: number | null; longitude: number | null }[],
): Promise<void> {
  await sql`
    update twins t set latitude = coalesce(m.latitude, t.latitude), longitude = coalesce(m.longitude, t.longitude)
    from unnest(${moves.map((move) => move.twinId)}::int[], ${moves.map((move) => move.latitude)}::float8[],
      ${moves.map((move) => move.longitude)}::float8[]) as m (id, latitude, longitude)
    where t.id = m.id and (t.latitude, t.longitude) is distinct from
      (coalesce(m.latitude, t.latitude), coalesce(m.longitude, t.longitude))`.execute(db)
}

/** Makes the partitions that values (or packets) of these months need. `months` are first days, `2026-11-01`. */
export async function ensureMonths(
  db: Executor,
  table: 'state_values' | 'packets',
  months: readonly string[],
) {
  for (const month of months) await sql`select ensure_month_partition(${table}, ${month}::date)`.execute(db)
}

/** States with source random whose interval begins in this second (since 1970). */
export async function readRandomStates(
  db: Executor,
  second: number,
): Promise<{ id: number; min: number; max: number; decimals: number | null }[]> {
  const { rows } = await sql<{ id: number; min: number; max: number; decimals: number | null }>`
    select s.id, (s.source_settings ->> 'min')::float8 as min, (s.source_settings ->> 'max')::float8 as max, s.decimals
    from states s join twins t on t.id = s.twin_id
    where s.source = 'random' and s.value_type = 'number' and not t.disabled
      and s.source_settings ->> 'min' is not null and s.source_settings ->> 'max' is not null
      and ${second}::bigint % coalesce((s.source_settings ->> 'everySeconds')::int, 60) = 0
    order by s.id limit 10000`.execute(db)
  return rows
}

/** What a series is called; only of states whose twin lies in one of the scopes of its category. */
export interface SeriesHead {
  stateId: number
  title: string
  unit: string
  twinId: number
  twinTitle: string
  timeZone: string
}

/** Heads of the states that may be seen; the others are missing. Null scopes: no restriction. */
export async function readHeads(
  db: Executor,
  stateIds: readonly number[],
  scopes: { digitalTwin: readonly number[]; virtualDevice: readonly number[] } | null,
): Promise<Map<number, SeriesHead>> {
  const { rows } = await sql<{
    id: number
    title: string
    unit: string
    twin_id: number
    twin_title: string
    time_zone: string
  }>`
    select s.id, s.title, s.unit, t.id as twin_id, t.title as twin_title, a.time_zone
    from states s join twins t on t.id = s.twin_id join accounts a on a.id = t.account_id
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
        title: row.title,
        unit: row.unit,
        twinId: row.twin_id,
        twinTitle: row.twin_title,
        timeZone: row.time_zone,
      },
    ]),
  )
}

/** Values in a range, ascending, at most `max` a state (the newest of them). */
export async function readRange(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date; end: Date },
  max: number,
): Promise<Map<number, { timeMs: number; value: JsonValue }[]>> {
  const { rows } = await sql<ValueRow & { state_id: number; ms: number }>`
    select v.* from unnest(${[...stateIds]}::int[]) as wanted (id),
    lateral (
      select state_id, extract(epoch from time)::float8 * 1000 as ms, num, txt, bool, json from state_values
      where state_id = wanted.id and time >= ${range.start} and time < ${range.end}
      order by time desc limit ${max}
    ) as v
    order by v.state_id, v.ms`.execute(db)
  const byState = new Map<number, { timeMs: number; value: JsonValue }[]>(stateIds.map((id) => [id, []]))
  for (const row of rows)
    byState.get(row.state_id)?.push({ timeMs: Math.round(row.ms), value: fromColumns(row) })
  return byState
}

/**
 * Numbers of a range reduced to the smallest and largest of each of `stretches` equal stretches, ascending,
 * for ranges with more values than can be drawn.
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
    from state_values
    where state_id = ${stateId} and time >= ${range.start} and time < ${range.end} and num is not null
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
    lateral (
      select state_id, time, num, txt, bool, json from state_values
      where state_id = wanted.id
        and time >= coalesce(${range.start}::timestamptz, '-infinity') and time < coalesce(${range.end}::timestamptz, 'infinity')
      order by time desc limit ${limit}
    ) as v
    order by v.time desc, v.state_id limit ${limit}`.execute(db)
  return rows.map((row) => ({ stateId: row.state_id, time: row.time, value: fromColumns(row) }))
}

/** Whether a twin or device lies in one of the scopes of its category. */
export async function twinVisible(
  db: Executor,
  twinId: number,
  scopes: { digitalTwin: readonly number[]; virtualDevice: readonly number[] },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from twins t
    where t.id = ${twinId}
      and ((t.category = 'digitalTwin' and t.scope_id = any(${[...scopes.digitalTwin]}::int[]))
        or (t.category = 'virtualDevice' and t.scope_id = any(${[...scopes.virtualDevice]}::int[])))`.execute(
    db,
  )
  return rows.length > 0
}

/** Current values of a twin that are newer than a time. */
export async function readTwinCurrent(db: Executor, twinId: number, since: Date): Promise<LiveValue[]> {
  const { rows } = await sql<ValueRow & { state_id: number; key: string; time: Date }>`
    select c.state_id, s.key, c.time, c.num, c.txt, c.bool, c.json
    from states s join state_current c on c.state_id = s.id
    where s.twin_id = ${twinId} and c.time > ${since}
    order by c.time limit 1000`.execute(db)
  return rows.map((row) => ({
    stateId: row.state_id,
    twinId,
    key: row.key,
    value: fromColumns(row),
    timeMs: row.time.getTime(),
  }))
}
