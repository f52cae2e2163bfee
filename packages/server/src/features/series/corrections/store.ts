import type { JsonValue } from '@leitstand/contract/common'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
import { orderedValuesOf, valueAt } from '../days/read.ts'
import { reopening } from '../days/store.ts'
import type { TypedValue } from '../store.ts'
import { fromColumns, type ValueRow } from '../values.ts'

/** A moment of a state. */
export interface Moment {
  stateId: number
  time: Date
}

/** Map key of a moment. */
export const nameOf = ({ stateId, time }: Moment): string => `${stateId} ${time.getTime()}`

const ids = (moments: readonly Moment[]) => moments.map(({ stateId }) => stateId)
const times = (moments: readonly Moment[]) => moments.map(({ time }) => time)
/** Restricts a join to the affected partitions. */
const within = (moments: readonly Moment[]) => {
  const all = moments.map(({ time }) => time.getTime())
  const [first, last] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))]
  return sql`v.time >= ${new Date(first)} and v.time <= ${new Date(last)}`
}

/**
 * Makes the compacted days of these moments rows again, so that the values at these moments can be read and changed.
 * @param now by the clock of the platform
 */
export async function reopenDays(tx: Executor, moments: readonly Moment[], now: Date): Promise<void> {
  for (const statement of reopening(moments, now)) await statement.execute(tx)
}

/** Stored values at these moments, by `nameOf`; their days must be reopened. */
export async function readMoments(tx: Executor, moments: readonly Moment[]): Promise<Map<string, ValueRow>> {
  if (moments.length === 0) return new Map()
  const { rows } = await sql<ValueRow & { state_id: number; time: Date }>`
    select v.state_id, v.time, v.num, v.txt, v.bool, v.json
    from unnest(${ids(moments)}::int[], ${times(moments)}::timestamptz[]) as w (state_id, time)
    join state_values v on v.state_id = w.state_id and v.time = w.time and ${within(moments)}`.execute(tx)
  return new Map(rows.map((row) => [nameOf({ stateId: row.state_id, time: row.time }), row]))
}

/** Inserts values or replaces existing ones. */
export async function replaceValues(tx: Executor, values: readonly TypedValue[]): Promise<void> {
  if (values.length === 0) return
  await sql`
    insert into state_values (state_id, time, num, txt, bool, json)
    select state_id, time, num, txt, bool, json::jsonb
    from unnest(${ids(values)}::int[], ${times(values)}::timestamptz[],
      ${values.map(({ columns }) => columns.num)}::float8[], ${values.map(({ columns }) => columns.txt)}::text[],
      ${values.map(({ columns }) => columns.bool)}::boolean[], ${values.map(({ columns }) => columns.json)}::text[])
      as w (state_id, time, num, txt, bool, json)
    on conflict (state_id, time) do update
      set num = excluded.num, txt = excluded.txt, bool = excluded.bool, json = excluded.json`.execute(tx)
}

/** Deletes the values at these moments. The caller notes the changed roll-ups. */
export async function deleteMoments(tx: Executor, moments: readonly Moment[]): Promise<void> {
  if (moments.length === 0) return
  await sql`
    delete from state_values v using unnest(${ids(moments)}::int[], ${times(moments)}::timestamptz[]) as w (state_id, time)
    where v.state_id = w.state_id and v.time = w.time and ${within(moments)}`.execute(tx)
}

/** The moments of aggregates at which no source has a value any more. */
export async function withoutSource(tx: Executor, moments: readonly Moment[]): Promise<Moment[]> {
  if (moments.length === 0) return []
  const { rows } = await sql<{ state_id: number; time: Date }>`
    select w.state_id, w.time
    from unnest(${ids(moments)}::int[], ${times(moments)}::timestamptz[]) as w (state_id, time)
    where not exists (
      select from ${viewOf('stateLinks')} l cross join lateral ${valueAt(sql`l.source_state_id`, sql`w.time`)} as v
      where l.state_id = w.state_id)`.execute(tx)
  return rows.map((row) => ({ stateId: row.state_id, time: row.time }))
}

/**
 * Updates the current values of states whose newest value may have changed.
 * @param touched the newest changed moment of each state
 * @returns the states with a different current value; null: no value is left
 */
export async function renewCurrent(
  tx: Executor,
  touched: readonly Moment[],
): Promise<{ stateId: number; time: Date; value: JsonValue | null }[]> {
  if (touched.length === 0) return []
  const { rows } = await sql<ValueRow & { state_id: number; time: Date | null }>`
    with concerned as materialized (
      select w.state_id from unnest(${ids(touched)}::int[], ${times(touched)}::timestamptz[]) as w (state_id, time)
      left join state_current c on c.state_id = w.state_id
      where c.state_id is null or c.time <= w.time),
    newest as materialized (
      select n.state_id, v.time, v.num, v.txt, v.bool, v.json
      from concerned n left join lateral (
        select * from ${orderedValuesOf({ state: sql`n.state_id` }, 'desc', 1)} as v) as v on true),
    gone as (
      delete from state_current c using newest n where c.state_id = n.state_id and n.time is null
      returning c.state_id),
    set_anew as (
      insert into state_current as c (state_id, time, num, txt, bool, json)
      select n.state_id, n.time, n.num, n.txt, n.bool, n.json
      from newest n join ${viewOf('states')} s on s.id = n.state_id where n.time is not null order by n.state_id
      on conflict (state_id) do update
        set time = excluded.time, num = excluded.num, txt = excluded.txt, bool = excluded.bool, json = excluded.json
        where (c.time, c.num, c.txt, c.bool, c.json) is distinct from
          (excluded.time, excluded.num, excluded.txt, excluded.bool, excluded.json)
      returning state_id, time, num, txt, bool, json)
    select state_id, time, num, txt, bool, json from set_anew
    union all select state_id, null, null, null, null, null from gone`.execute(tx)
  return rows.map((row) => ({
    stateId: row.state_id,
    time: row.time ?? new Date(0),
    value: row.time === null ? null : fromColumns(row),
  }))
}

/** Values of several states in a period, ascending; `end` exclusive. */
export async function readStretch(
  db: Executor,
  stateIds: readonly number[],
  start: Date,
  end: Date,
  limit: number,
): Promise<{ stateId: number; time: Date; value: JsonValue }[]> {
  const { rows } = await sql<ValueRow & { state_id: number; time: Date }>`
    select v.* from unnest(${[...stateIds]}::int[]) as w (id)
    cross join lateral ${orderedValuesOf({ state: sql`w.id`, since: start, before: end }, 'asc', limit)} as v
    order by v.time, v.state_id limit ${limit}`.execute(db)
  return rows.map((row) => ({ stateId: row.state_id, time: row.time, value: fromColumns(row) }))
}

/** The newest value of each state before a time; states without one are missing. */
export async function readBefore(
  db: Executor,
  stateIds: readonly number[],
  before: Date,
): Promise<Map<number, { time: Date; value: JsonValue }>> {
  const { rows } = await sql<ValueRow & { state_id: number; time: Date }>`
    select v.* from unnest(${[...stateIds]}::int[]) as w (id),
      lateral ${orderedValuesOf({ state: sql`w.id`, before }, 'desc', 1)} as v`.execute(db)
  return new Map(rows.map((row) => [row.state_id, { time: row.time, value: fromColumns(row) }]))
}

/** Times of the first and last value of a state; null if it has none. */
export async function readSpan(db: Executor, stateId: number): Promise<{ first: Date; last: Date } | null> {
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`
    select (select time from ${orderedValuesOf({ state: sql`${stateId}` }, 'asc', 1)} as v) as first,
      (select time from ${orderedValuesOf({ state: sql`${stateId}` }, 'desc', 1)} as v) as last`.execute(db)
  const { first, last } = rows[0] ?? {}
  return first && last ? { first, last } : null
}

/**
 * The time by which every source has a newer value than at `after`.
 * @returns null if a source has no later value
 */
export async function readNextOfAll(
  db: Executor,
  stateIds: readonly number[],
  after: Date,
): Promise<Date | null> {
  const { rows } = await sql<{ next: Date | null; open: boolean }>`
    select max(v.time) as next, bool_or(v.time is null) as open
    from unnest(${[...stateIds]}::int[]) as w (id) left join lateral (
      select time from ${orderedValuesOf({ state: sql`w.id`, after }, 'asc', 1)} as v) as v on true`.execute(
    db,
  )
  return rows[0]?.open ? null : (rows[0]?.next ?? null)
}
