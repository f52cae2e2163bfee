import { type RawBuilder, sql } from 'kysely'
import type { Compactable, Compacted } from '../../../platform/compaction/compactor.ts'
import type { Month } from '../../../platform/compaction/months.ts'
import { int4Array, timeArray } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { packedColumns, valueColumns } from './read.ts'

/**
 * Advisory lock of transactions that move values between `state_values` and `value_days`. Storing, correcting or deleting
 * values that may be compacted shares it, so that no value is lost or stored twice.
 */
const daysLock = 7_211_014
/** Values in one row of `value_days`: as many become rows again when a late one lies among them. */
export const valuesPerRow = 2_000
/** Bytes of texts and JSON beyond which a row of `value_days` gets no more values. */
const bytesPerRow = 1_000_000
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

/** Whether all values of a kind can be whole numbers of this type. */
const fitting = (max: number) => sql`bool_and(num is null or (digits <= 6 and abs(whole) <= ${sql.lit(max)}
  and whole / (10 ^ digits)::float8 = num))`

/**
 * Compacts the first day that each of these states has in a month before a time, at most `valuesPerRow` values of it, and
 * only those before the next row of that day: rows of a day do not overlap.
 */
export async function compactDays(
  tx: Executor,
  { partition, start }: Month,
  end: Date,
  stateIds: readonly number[],
): Promise<Compacted> {
  const table = sql.table(partition)
  const { rows } = await sql<Compacted>`
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
    select (select count(*) from gone)::int as moved, count(*)::int as days,
      coalesce(sum(pg_column_size(made.*)), 0)::int as bytes from made`.execute(tx)
  return rows[0] ?? { moved: 0, days: 0, bytes: 0 }
}

/** Values of past days are moved to one row for each state and day. */
export const compactableValues: Compactable = {
  name: 'values',
  table: 'state_values',
  daysTable: 'value_days',
  columns: { owner: 'state_id', time: 'time' },
  lock: daysLock,
  compact: compactDays,
  truncate: async (tx, partition) => void (await sql`truncate only ${sql.table(partition)}`.execute(tx)),
}
