import { type RawBuilder, sql } from 'kysely'
import { int4Array, timeArray } from '../../../platform/db/arrays.ts'
import type { Db, Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
import type { TimedValue } from '../aggregate.ts'
import { readFresh, readingsOf } from '../aggregates.store.ts'
import { orderedValuesOf, valueAt } from '../days/read.ts'
import { numberOf } from '../rollups/combine.ts'
import { raw } from '../rollups/cover.ts'
import { hourMs } from '../rollups/levels.ts'
import { made, type Reading } from '../rollups/read.store.ts'
import { fromColumns, type ValueRow } from '../values.ts'
import type { Contents } from './decide.ts'

/** Values that a median is computed from, the newest of its period: roll-ups have none. */
export const medianMax = 50_000
/** Hours of a period that are read value by value for want of up-to-date roll-ups; beyond it the state waits for these. */
const rawHoursMax = 72

export interface Frame {
  timeZone: string
  known: TimedValue | undefined
}

/** Time zones of the accounts of states, and their current values. */
export async function readFrames(db: Executor, stateIds: readonly number[]): Promise<Map<number, Frame>> {
  const { rows } = await sql<ValueRow & { id: number; time_zone: string; time: Date | null }>`
    select s.id, a.time_zone, c.time, c.num, c.txt, c.bool, c.json
    from ${viewOf('states')} s join ${viewOf('twins')} t on t.id = s.twin_id join accounts a on a.id = t.account_id
    left join state_current c on c.state_id = s.id
    where s.id = any(${int4Array(stateIds)}::int4[])`.execute(db)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        timeZone: row.time_zone,
        known: row.time === null ? undefined : { value: fromColumns(row), time: row.time },
      },
    ]),
  )
}

/** The values of states in a period, end exclusive, from roll-ups; null if too many of these are out of date. */
export async function readContents(
  db: Db,
  sourceIds: readonly number[],
  range: { fromMs: number; toMs: number },
  withMedian: boolean,
): Promise<Map<number, Contents> | null> {
  const bounds = { start: new Date(range.fromMs), end: new Date(range.toMs) }
  return readFresh(db, sourceIds, bounds, async (tx, freshness, span) => {
    if (span.fromMs >= span.toMs) return new Map()
    const readings = readingsOf(freshness, sourceIds, { ...span, intervals: { starts: [span.fromMs] } })
    if (readings.some((reading) => rawHoursOf(reading) > rawHoursMax)) return null
    const { rows } = await sql<
      Omit<Contents, 'latest' | 'median'> & ValueRow & { sourceId: number; median: number | null }
    >`
      with ${made(readings, sql`0`)}
      select made.state_id as "sourceId", (extract(epoch from first_time) * 1000)::float8 as "firstMs",
        (extract(epoch from last_time) * 1000)::float8 as "lastMs", total, count as numbers, sum, min, max,
        l.num, l.txt, l.bool, l.json, ${withMedian ? sql`m.median` : sql`null`} as median
      from made
      left join lateral (
        select num, txt, bool, json from ${valueAt(sql`made.state_id`, sql`made.last_time`)} as v offset 0) as l on true
      ${withMedian ? medianWithin(bounds) : sql``}`.execute(tx)
    return new Map(
      rows.map(({ sourceId, num, txt, bool, json, ...row }) => [
        sourceId,
        { ...row, latest: fromColumns({ num, txt, bool, json }) },
      ]),
    )
  })
}

function rawHoursOf({ stretches }: Reading): number {
  return stretches.reduce(
    (hours, { source, fromMs, toMs }) => (source === raw ? hours + (toMs - fromMs) / hourMs : hours),
    0,
  )
}

function medianWithin({ start, end }: { start: Date; end: Date }): RawBuilder<unknown> {
  return sql`left join lateral (
    select percentile_cont(0.5) within group (order by number) as median from (
      select ${numberOf} as number
      from ${orderedValuesOf({ state: sql`made.state_id`, since: start, before: end }, 'desc', medianMax)} as v) as newest) as m on true`
}

/** Time of the first value of each state after a time; states without one are missing. */
export async function readNextTimes(
  db: Executor,
  sourceIds: readonly number[],
  after: Date,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; ms: number }>`
    select w.id, (extract(epoch from v.time) * 1000)::float8 as ms
    from unnest(${int4Array(sourceIds)}::int4[]) as w (id) cross join lateral (
      select time from ${orderedValuesOf({ state: sql`w.id`, after }, 'asc', 1)} as v) as v`.execute(db)
  return new Map(rows.map(({ id, ms }) => [id, ms]))
}

/** The last two numbers of each state up to a time, the newest first. */
export async function readLastTwo(
  db: Executor,
  sourceIds: readonly number[],
  until: Date,
): Promise<Map<number, { timeMs: number; number: number }[]>> {
  const { rows } = await sql<{ id: number; timeMs: number; number: number }>`
    select w.id, (extract(epoch from v.time) * 1000)::float8 as "timeMs", v.number
    from unnest(${int4Array(sourceIds)}::int4[]) as w (id) cross join lateral (
      select time, ${numberOf} as number from ${orderedValuesOf(
        { state: sql`w.id`, until, where: sql`num is not null or bool is not null` },
        'desc',
        2,
      )} as v) as v
    order by w.id, v.time desc`.execute(db)
  return Map.groupBy(rows, ({ id }) => id)
}

/** What an evaluation leaves behind besides values. */
export interface ClockNote {
  stateId: number
  /** null: only changes of its sources wake it */
  due: Date | null
  /** it has no value any more */
  isEmpty: boolean
}

/** Statement that stores when states are due next. */
export function saveDue(notes: readonly ClockNote[]): RawBuilder<unknown> {
  return sql`
    /* prepared: series.saveDue */
    with n as materialized (
      select distinct on (state_id) * from unnest(${int4Array(notes.map(({ stateId }) => stateId))}::int4[],
        ${timeArray(notes.map(({ due }) => due))}::timestamptz[]) as n (state_id, due_at) order by state_id, due_at),
    gone as (delete from state_clocks c using n where c.state_id = n.state_id and n.due_at is null)
    insert into state_clocks as c (state_id, due_at) select state_id, due_at from n where due_at is not null
    on conflict (state_id) do update set due_at = excluded.due_at where c.due_at <> excluded.due_at`
}

/** Statement that deletes the current values of states. @returns those that had one */
export function emptyCurrent(stateIds: readonly number[]): RawBuilder<{ state_id: number }> {
  return sql`
    /* prepared: series.emptyCurrent */
    delete from state_current where state_id = any(${int4Array(stateIds)}::int4[]) returning state_id`
}

/** Whether a state is due. */
export async function isAnyDue(db: Executor, now: Date): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (select from state_clocks where due_at <= ${now}) as due`.execute(db)
  return rows[0]?.due ?? false
}

/** Statement that takes states that are due; another process takes others. */
export function takeDue(now: Date, max: number): RawBuilder<{ state_id: number }> {
  return sql`
    /* prepared: series.takeDue */
    delete from state_clocks where state_id in (
      select state_id from state_clocks where due_at <= ${now} order by due_at limit ${max} for update skip locked)
    returning state_id`
}
