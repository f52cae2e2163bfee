import type { JsonValue } from '@leitstand/contract/common'
import type { AggregationMethod } from '@leitstand/contract/series'
import { type RawBuilder, sql } from 'kysely'
import { int4Array, timeArray } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { valueAt, valuesOf } from '../days/read.ts'
import { fromRollups, numberOf, origin, summandOf } from './combine.ts'
import { raw, type Source, type Stale, type Stretch } from './cover.ts'
import { dayMs, hourMs, type Level, level } from './levels.ts'

/** Maximum stale marks read per query; with more, the query reads raw values. */
const marksMax = 20_000

export interface Freshness {
  /** Too many roll-ups are stale; read raw values. */
  isBehind: boolean
  /** Period covered by existing partitions; milliseconds since 1970. */
  span: { fromMs: number; toMs: number }
  /** applies to every state */
  stale: Stale
  /** applies to single states, in addition */
  staleOf: Map<number, Stale>
}

/** Finds the stale roll-ups of a range. */
export async function readFreshness(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date; end: Date },
): Promise<Freshness> {
  const ms = (time: RawBuilder<unknown>) => sql`(extract(epoch from ${time}) * 1000)::float8`
  const within = sql`>= date_bin('24 hours', ${range.start}::timestamptz, ${origin})`
  const { rows } = await sql<{
    span: [number, number] | null
    changed: number[] | null
    pending: [Level, number, number][] | null
    rebuilt: [number, number][] | null
  }>`
    select
      (select json_build_array(${ms(sql`min(month)`)}, ${ms(sql`max(month) + interval '1 month'`)}) from (
        select to_date(right(c.relname, 7), 'YYYY_MM')::timestamptz as month
        from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'state_values'::regclass
      ) as months) as span,
      (select json_agg(${ms(sql`hour`)}) from (
        select distinct date_bin('1 hour', slot, ${origin}) as hour from series_changes
        where slot ${within} and slot < ${range.end} limit ${marksMax}) as c) as changed,
      (select json_agg(json_build_array(level, state_id, ${ms(sql`start`)})) from (
        select level, state_id, start from rollup_pending
        where state_id = any(${int4Array(stateIds)}::int4[]) and start ${within} and start < ${range.end}
        limit ${marksMax}) as p) as pending,
      (select json_agg(json_build_array(${ms(sql`month::timestamptz`)}, ${ms(sql`month + interval '1 month'`)}))
        from rollup_rebuilds) as rebuilt`.execute(db)
  const row = rows[0]
  if (row === undefined) throw new Error('the list of changes did not answer')
  const isBehind = row.changed?.length === marksMax || row.pending?.length === marksMax
  const stale = { days: new Set<number>(), hours: new Set<number>() }
  for (const hour of row.changed ?? []) markHour(stale, hour)
  for (const [from, to] of row.rebuilt ?? []) {
    if (to <= range.start.getTime() || from >= range.end.getTime()) continue
    for (let hour = from; hour < to; hour += hourMs) markHour(stale, hour)
  }
  const staleOf = new Map<number, { days: Set<number>; hours: Set<number> }>()
  for (const [of, stateId, start] of row.pending ?? []) {
    const own = staleOf.get(stateId) ?? { days: new Set<number>(), hours: new Set<number>() }
    staleOf.set(stateId, own)
    if (of === level.day) own.days.add(start)
    else markHour(own, Math.floor(start / hourMs) * hourMs)
  }
  const [fromMs, toMs] = row.span ?? []
  return { isBehind, span: { fromMs: fromMs ?? 0, toMs: toMs ?? 0 }, stale, staleOf }
}

function markHour(stale: { days: Set<number>; hours: Set<number> }, hour: number): void {
  stale.hours.add(hour)
  stale.days.add(Math.floor(hour / dayMs) * dayMs)
}

/** States that are read from the same stretches. */
export interface Reading {
  stateIds: readonly number[]
  stretches: readonly Stretch[]
}

/** One interval of one state: start in milliseconds and the requested values. */
export interface IntervalRow {
  stateId: number
  startMs: number
  value: JsonValue
  min: number | null
  max: number | null
  latest: JsonValue
}

/** The intervals of a query: UTC intervals of equal length, or intervals with these starts (ascending). */
export type Intervals = { lengthMs: number } | { starts: readonly number[] }

const columns = sql`first_time, last_time, sum, min, max, count, total`

/** The result of each method from combined roll-ups. */
const reduced: Record<Exclude<AggregationMethod, 'median'>, RawBuilder<number | null>> = {
  avg: sql`sum / nullif(count, 0)`,
  min: sql`min`,
  max: sql`max`,
  sum: sql`sum`,
  count: sql`total::float8`,
  latest: sql`null::float8`,
}

/** Rows of one source: `at` and the columns of a roll-up. A raw value counts as a roll-up of one value. */
const rowsOf: Record<Source, RawBuilder<unknown>> = {
  [level.day]: rollupRows('state_rollups_1d'),
  [level.hour]: rollupRows('state_rollups_1h'),
  // Hours without stored 5-minute roll-ups are read from raw values.
  [level.fiveMinutes]: sql`${rollupRows('state_rollups_5m')}
    union all
    select w.state_id, v.* from wanted w
    cross join lateral (
      select start, fine from state_rollups_1h r
      where r.state_id = w.state_id and r.start > w.from_time - interval '1 hour' and r.start < w.to_time offset 0
    ) as h
    cross join lateral (${valuesWithin(sql`greatest(h.start, w.from_time)`, sql`least(h.start + interval '1 hour', w.to_time)`)}) as v
    where w.source = ${level.fiveMinutes} and not h.fine`,
  [raw]: sql`
    select w.state_id, v.* from wanted w cross join lateral (${valuesWithin(sql`w.from_time`, sql`w.to_time`)}) as v
    where w.source = ${raw}`,
}

/** `offset 0` forces the index scan: the planner underestimates the cost of joining the whole table. */
function rollupRows(table: string): RawBuilder<unknown> {
  const source = {
    state_rollups_1d: level.day,
    state_rollups_1h: level.hour,
    state_rollups_5m: level.fiveMinutes,
  }[table]
  return sql`
    select w.state_id, r.* from wanted w cross join lateral (
      select start as at, ${columns} from ${sql.table(table)} r
      where r.state_id = w.state_id and r.start >= w.from_time and r.start < w.to_time offset 0) as r
    where w.source = ${source}`
}

function valuesWithin(from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select time as at, time as first_time, time as last_time, ${summandOf} as sum, number as min, number as max,
      (number is not null)::int as count, 1 as total
    from (select time, ${numberOf} as number
      from ${valuesOf({ state: sql`w.state_id`, since: from, before: to })} as v offset 0) as v`
}

/** Intervals from the stretches of several readings, ascending by state and time; empty ones are missing. */
export async function readStretches(
  db: Executor,
  readings: readonly Reading[],
  intervals: Intervals,
  options: { method: Exclude<AggregationMethod, 'median'>; extremes: boolean; latest: boolean },
): Promise<IntervalRow[]> {
  const last = options.latest
    ? sql`left join lateral (
        select num, txt, bool, json from ${valueAt(sql`made.state_id`, sql`made.last_time`)} as v offset 0
      ) as l on true`
    : sql``
  const { rows } = await sql<PackedRow>`
    with ${made(readings, bucketOf(sql.ref('at'), intervals))}
    select made.state_id, ${packed(reduced[options.method], sql`min`, sql`max`, options)} as intervals
    from made ${last}
    group by made.state_id order by made.state_id`.execute(db)
  return unpacked(rows, intervals)
}

/** All intervals of a state in one row, which costs half as much as a row per interval. */
interface PackedRow {
  state_id: number
  intervals: [
    bucket: number,
    value: number | null,
    min: number | null,
    max: number | null,
    latest: JsonValue,
  ][]
}

/**
 * The column `intervals`, from `bucket`, expressions, and `num`, `txt`, `bool` and `json` of the last value.
 */
function packed(
  value: RawBuilder<unknown>,
  min: RawBuilder<unknown>,
  max: RawBuilder<unknown>,
  options: { extremes: boolean; latest: boolean },
): RawBuilder<PackedRow['intervals']> {
  const [low, high] = options.extremes ? [min, max] : [sql`null`, sql`null`]
  const latest = options.latest
    ? sql`coalesce(to_json(num), to_json(txt), to_json(bool), json::json)`
    : sql`null`
  return sql`json_agg(json_build_array(bucket, ${value}, ${low}, ${high}, ${latest}) order by bucket)`
}

function unpacked(rows: readonly PackedRow[], intervals: Intervals): IntervalRow[] {
  const found: IntervalRow[] = []
  for (const { state_id: stateId, intervals: own } of rows)
    for (const [bucket, value, min, max, latest] of own)
      found.push({ stateId, startMs: startOf(bucket, intervals), value, min, max, latest })
  return found
}

/**
 * Totals of the numbers of a state in a range (true is 1, false is 0), and the time of its last value of any
 * type.
 */
export interface Totals {
  avg: number | null
  sum: number | null
  min: number | null
  max: number | null
  lastTime: Date
}

/** Totals over the stretches of several readings, by state; states without values are missing. */
export async function readWhole(db: Executor, readings: readonly Reading[]): Promise<Map<number, Totals>> {
  const { rows } = await sql<{ stateId: number } & Totals>`
    with ${made(readings, sql`0`)}
    select state_id as "stateId", ${reduced.avg} as avg, sum, min, max, last_time as "lastTime" from made`.execute(
    db,
  )
  return new Map(rows.map(({ stateId, ...totals }) => [stateId, totals]))
}

/** Common table expressions: `made` has the columns of a roll-up for every state and bucket. */
export function made(readings: readonly Reading[], bucket: RawBuilder<unknown>): RawBuilder<unknown> {
  const wanted = readings.flatMap(({ stateIds, stretches }) =>
    stateIds.flatMap((stateId) => stretches.map((stretch) => ({ stateId, ...stretch }))),
  )
  const sources = new Set(wanted.map(({ source }) => source))
  if (sources.size === 0) sources.add(raw)
  const parts = sql.join(
    [...sources].map((source) => rowsOf[source]),
    sql` union all `,
  )
  return sql`
    wanted as materialized (
      select * from unnest(${int4Array(wanted.map(({ stateId }) => stateId))}::int4[],
        ${int4Array(wanted.map(({ source }) => source))}::int4[],
        ${timeArray(wanted.map(({ fromMs }) => new Date(fromMs)))}::timestamptz[],
        ${timeArray(wanted.map(({ toMs }) => new Date(toMs)))}::timestamptz[])
        as w (state_id, source, from_time, to_time)),
    made as (
      select state_id, bucket, ${fromRollups} from (
        select state_id, ${bucket} as bucket, ${columns} from (${parts}) as parts
      ) as parts
      group by state_id, bucket)`
}

/** Number of the interval that contains a time. */
export function bucketOf(time: RawBuilder<unknown>, intervals: Intervals): RawBuilder<number> {
  if ('starts' in intervals)
    return sql`width_bucket(${time}, ${timeArray(intervals.starts.map((start) => new Date(start)))}::timestamptz[])`
  return sql`floor(extract(epoch from ${time}) * 1000 / ${intervals.lengthMs}::float8)::float8`
}

export function startOf(bucket: number, intervals: Intervals): number {
  return 'starts' in intervals ? (intervals.starts[bucket - 1] as number) : bucket * intervals.lengthMs
}

/** Medians cannot be computed from roll-ups, so this reads raw values. */
export async function readMedians(
  tx: Executor,
  stateIds: readonly number[],
  range: { fromMs: number; toMs: number },
  intervals: Intervals,
  options: { extremes: boolean; latest: boolean },
): Promise<IntervalRow[]> {
  const last = (column: string) =>
    options.latest ? sql`(array_agg(${sql.ref(column)} order by time desc))[1]` : sql`null`
  const { rows } = await sql<PackedRow>`
    select state_id, ${packed(sql`value`, sql`low`, sql`high`, options)} as intervals
    from (
      select state_id, bucket, percentile_cont(0.5) within group (order by number) as value,
        min(number) as low, max(number) as high, ${last('num')} as num, ${last('txt')} as txt, ${last('bool')} as bool,
        ${last('json')} as json
      from (
        select state_id, time, num, txt, bool, json, ${numberOf} as number, ${bucketOf(sql.ref('time'), intervals)} as bucket
        from unnest(${int4Array(stateIds)}::int4[]) as w (id) cross join lateral ${valuesOf({
          state: sql`w.id`,
          since: new Date(range.fromMs),
          before: new Date(range.toMs),
        })} as v
      ) as v
      group by state_id, bucket
    ) as made
    group by state_id order by state_id`.execute(tx)
  return unpacked(rows, intervals)
}
