import { type RawBuilder, sql } from 'kysely'
import { int4Array, timeArray } from '../../../platform/db/arrays.ts'
import type { Db, Executor } from '../../../platform/db/index.ts'
import { packedColumns, valueColumns } from './read.ts'

/**
 * Advisory lock of transactions that move values between `state_values` and `value_days`. Storing, correcting or deleting
 * values that may be compacted shares it, so that no value is lost or stored twice.
 */
const daysLock = 7_211_014
/** A piece that takes longer is tried again with fewer states. */
const pieceTimeout = '5s'
/** How long an empty month may wait for its lock; every query of the month queues behind it. */
const emptyLockTimeout = '100ms'
/** A vacuum has as long as it needs, within reason. */
const vacuumTimeout = '30min'
/** The table whose months are compacted. */
const valuesTable = 'state_values'
/** Values in one row of `value_days`: as many become rows again when a late one lies among them. */
export const valuesPerRow = 2_000
/** Bytes of texts and JSON beyond which a row of `value_days` gets no more values. */
const bytesPerRow = 1_000_000
/** Size of a month without values from which its space is given back, in bytes. */
const emptySize = 65_536
/**
 * Values older than this may be compacted, in milliseconds. The compactor leaves the last 24 hours alone; the difference is
 * for clocks of processes that are not quite equal.
 */
export const maybeCompactedMs = 12 * 3_600_000

interface Moment {
  stateId: number
  time: Date
}

/**
 * The statements that turn compacted rows into values again, for a transaction that changes or adds values at these moments:
 * of each day the row that the moment lies in, which may be compacted again later. None if all moments are too recent.
 */
export function reopening(moments: readonly Moment[], now: Date): RawBuilder<unknown>[] {
  const newestMs = now.getTime() - maybeCompactedMs
  const old = moments.filter(({ time }) => time.getTime() < newestMs)
  if (old.length === 0) return []
  return [
    sql`
    /* prepared: series.shareDays */
    select pg_advisory_xact_lock_shared(${daysLock})`,
    sql`
    /* prepared: series.reopenDays */
    with concerned as materialized (
      select distinct w.state_id, d.first_time from unnest(${int4Array(old.map(({ stateId }) => stateId))}::int4[],
        ${timeArray(old.map(({ time }) => time))}::timestamptz[]) as w (state_id, time)
      cross join lateral (
        select first_time from value_days d where d.state_id = w.state_id and d.first_time <= w.time
          and d.first_time >= date_trunc('day', w.time, 'UTC')
        order by d.first_time desc limit 1) as d),
    opened as (
      delete from value_days d using concerned c where d.state_id = c.state_id and d.first_time = c.first_time
      returning d.*)
    insert into state_values (${valueColumns})
    select packed.state_id, u.* from opened packed cross join lateral values_of_day(${packedColumns}) as u`,
  ]
}

/** A month of values that may have some to compact. */
export interface Month {
  /** table: `state_values_2026_10` */
  partition: string
  /** `2026-10-01` */
  month: string
  start: Date
  /** first moment after it */
  end: Date
}

/** Months of `state_values` that begin before a time, oldest first. */
export async function readMonths(db: Executor, before: Date): Promise<Month[]> {
  const { rows } = await sql<Month>`
    select * from (
      select c.relname as partition, to_date(right(c.relname, 7), 'YYYY_MM')::text as month,
        to_date(right(c.relname, 7), 'YYYY_MM')::timestamp at time zone 'UTC' as start,
        (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' as end
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${valuesTable}::regclass) as months
    where start < ${before}::timestamptz order by start`.execute(db)
  return rows
}

/** Begins a piece of work. @returns false when another transaction moves values or changes old ones */
export async function beginPiece(tx: Executor): Promise<boolean> {
  // A crash loses the whole piece, which is then found again.
  await sql`set local synchronous_commit = off`.execute(tx)
  await sql`set local statement_timeout = ${sql.lit(pieceTimeout)}`.execute(tx)
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${daysLock}) as taken`.execute(tx)
  return rows[0]?.taken ?? false
}

/** The next states after one that have values in a month before a time, at most `limit`. */
export async function readStatesWithin(
  tx: Executor,
  { partition, start }: Month,
  end: Date,
  afterStateId: number,
  limit: number,
): Promise<{ found: number[]; last: number | null }> {
  const table = sql.table(partition)
  // Skips from state to state through the index instead of reading every value.
  const next = (after: RawBuilder<unknown>) => sql`
    select state_id from ${table} where state_id > ${after} order by state_id limit 1`
  const { rows } = await sql<{ state_id: number; due: boolean }>`
    with recursive stepped as (
      (${next(sql`${afterStateId}::int`)})
      union all
      select (${next(sql`stepped.state_id`)}) from stepped where stepped.state_id is not null),
    listed as (select state_id from stepped where state_id is not null limit ${limit})
    select state_id, exists (
      select from ${table} v where v.state_id = listed.state_id and v.time >= ${start} and v.time < ${end}) as due
    from listed`.execute(tx)
  return {
    found: rows.filter(({ due }) => due).map(({ state_id: id }) => id),
    last: rows.length < limit ? null : (rows.at(-1)?.state_id ?? null),
  }
}

/** Whether all values of a kind can be whole numbers of this type. */
const fitting = (max: number) => sql`bool_and(num is null or (digits <= 6 and abs(whole) <= ${sql.lit(max)}
  and whole / (10 ^ digits)::float8 = num))`

/**
 * Compacts the first day that each of these states has in a month before a time, at most `valuesPerRow` values of it, and
 * only those before the next row of that day: rows of a day do not overlap.
 * @returns values and the bytes of the new rows
 */
export async function compactDays(
  tx: Executor,
  { partition, start }: Month,
  end: Date,
  stateIds: readonly number[],
): Promise<{ values: number; rows: number; bytes: number }> {
  const table = sql.table(partition)
  const { rows } = await sql<{ values: number; rows: number; bytes: number }>`
    with picked as materialized (
      select v.place_in_table from unnest(${int4Array([...stateIds])}::int4[]) as w (id)
      cross join lateral (
        select time as first_time from ${table} v where v.state_id = w.id and v.time >= ${start} and v.time < ${end}
        order by time limit 1) as f
      cross join lateral (
        select min(d.first_time) as first_time from value_days d where d.state_id = w.id and d.first_time > f.first_time
          and d.first_time < date_trunc('day', f.first_time, 'UTC') + interval '24 hours') as next
      cross join lateral (
        select place_in_table from (
          select ctid as place_in_table, sum(bytes) over (order by time) - bytes as bytes_before from (
            select ctid, time, coalesce(octet_length(txt), 0) + coalesce(octet_length(json::text), 0) as bytes from ${table} v
            where v.state_id = w.id and v.time >= f.first_time and v.time < ${end}
              and v.time < least(date_trunc('day', f.first_time, 'UTC') + interval '24 hours', next.first_time)
            order by time limit ${valuesPerRow}) as day) as day
        where bytes_before < ${bytesPerRow}) as v),
    gone as (
      delete from ${table} where ctid = any(array(select place_in_table from picked))
      returning ${valueColumns}),
    placed as (
      select *, min(time) over state as first_time, max(time) over state as last_time, count(*) over state as total,
        row_number() over (state order by time) - 1 as place,
        max(decimal_places(num)) over state as digits
      from gone window state as (partition by state_id)),
    measured as (
      select *, round(date_part('epoch', time - first_time) * 1e6)::bigint as us,
        round(date_part('epoch', last_time - first_time) * 1e6)::bigint as last_us,
        case when digits <= 6 then round(num * (10 ^ digits)::float8) end as whole
      from placed),
    shapes as materialized (
      select state_id as shaped, count(num) > 0 as has_num, count(txt) > 0 as has_txt, count(bool) > 0 as has_bool,
        count(json) > 0 as has_json, count(num) + count(txt) + count(bool) + count(json) > 0 as has_any,
        bool_and(us % 1000 = 0) as is_ms,
        bool_and(total = 1 or (last_us % (total - 1) = 0 and us = place * (last_us / (total - 1)))) as is_even,
        ${fitting(32_767)} as is_small, ${fitting(2_147_483_647)} as is_whole
      from measured group by state_id),
    made as (
      insert into value_days (state_id, first_time, step, offsets, micros, factor, smalls, ints, nums, txts, bools, jsons)
      select state_id, first_time,
        case when is_even and has_any then case when max(total) = 1 then 0 else max(last_us) / (max(total) - 1) end end,
        case when not (is_even and has_any) and is_ms then array_agg((us / 1000)::int order by place) end,
        case when not (is_even and has_any) and not is_ms then array_agg(us order by place) end,
        case when has_num and is_whole then (10 ^ max(digits))::int end,
        case when has_num and is_small then array_agg(case when is_small then whole::int2 end order by place) end,
        case when has_num and is_whole and not is_small
          then array_agg(case when is_whole then whole::int4 end order by place) end,
        case when has_num and not is_whole then array_agg(num order by place) end,
        case when has_txt then array_agg(txt order by place) end,
        case when has_bool then array_agg(bool order by place) end,
        case when has_json then array_agg(json order by place) end
      from measured join shapes on shaped = state_id
      group by state_id, first_time, has_num, has_txt, has_bool, has_json, has_any, is_ms, is_even, is_small, is_whole
      returning value_days.*)
    select (select count(*) from gone)::int as values, count(*)::int as rows,
      coalesce(sum(pg_column_size(made.*)), 0)::int as bytes from made`.execute(tx)
  return rows[0] ?? { values: 0, rows: 0, bytes: 0 }
}

/** Size of a table, and of its rows alone, in bytes. */
async function sizesOf(db: Executor, table: string): Promise<{ total: number; rows: number }> {
  const { rows } = await sql<{ total: number; rows: number }>`
    select pg_total_relation_size(${table}::regclass)::float8 as total,
      pg_relation_size(${table}::regclass)::float8 as rows`.execute(db)
  return rows[0] ?? { total: 0, rows: 0 }
}

/**
 * Gives back the space of a month that has no values any more.
 * @param db a connection that is not within a transaction
 * @returns false when some of it is still needed or in use
 */
export async function giveBack(db: Db, { partition }: Month): Promise<boolean> {
  const before = await sizesOf(db, partition)
  if (before.total <= emptySize) return true
  if (before.rows > 0) await vacuum(db, partition)
  return emptyMonth(db, partition)
}

/** Vacuums at the speed of autovacuum. */
async function vacuum(db: Db, partition: string): Promise<void> {
  await db.connection().execute(async (own) => {
    try {
      await sql`set statement_timeout = ${sql.lit(vacuumTimeout)}`.execute(own)
      await sql`set vacuum_cost_delay = '2ms'`.execute(own)
      await sql`vacuum ${sql.table(partition)}`.execute(own)
    } finally {
      await sql`reset vacuum_cost_delay`.execute(own)
      await sql`reset statement_timeout`.execute(own)
    }
  })
}

/**
 * Truncates a month whose rows have gone from the disk. Others may still have a view of the database in which deleted rows
 * exist, and truncating would take these from them; but a vacuum that left no page at all has seen that nobody does.
 */
async function emptyMonth(db: Db, partition: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if ((await sizesOf(tx, partition)).rows > 0) return false
    await sql`set local lock_timeout = ${sql.lit(emptyLockTimeout)}`.execute(tx)
    await sql`lock table only ${sql.table(partition)} in access exclusive mode`.execute(tx)
    if ((await sizesOf(tx, partition)).rows > 0) return false
    await sql`truncate only ${sql.table(partition)}`.execute(tx)
    return true
  })
}
