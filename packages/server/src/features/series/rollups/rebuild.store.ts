import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { valuesOf } from '../days/read.ts'
import { fromRollups, fromValues, numberOf, origin, rollupColumns } from './combine.ts'

/** Statement timeout for a single state, which may send many times per second. */
const singleTimeout = '600s'

/** The next states after one that have values in a month, at most `limit`. @param month `2026-11-01` */
export async function readStatesOfMonth(
  tx: Executor,
  month: string,
  afterStateId: number,
  limit: number,
): Promise<number[]> {
  // Skips from state to state through the indexes instead of reading every value.
  const nextIn = (table: string, time: string, after: ReturnType<typeof sql>) => sql`
    select state_id from ${sql.table(table)}
    where ${sql.ref(time)} >= ${month}::date::timestamptz and ${sql.ref(time)} < ${month}::date + interval '1 month'
      and state_id > ${after}
    order by state_id limit 1`
  const next = (after: ReturnType<typeof sql>) => sql`
    select min(state_id) as state_id from (
      (${nextIn('state_values', 'time', after)}) union all (${nextIn('value_days', 'first_time', after)})) as nearest`
  const { rows } = await sql<{ state_id: number }>`
    with recursive found as (
      (${next(sql`${afterStateId}::int`)})
      union all
      select (${next(sql`found.state_id`)}) from found where found.state_id is not null)
    select state_id from found where state_id is not null limit ${limit}`.execute(tx)
  return rows.map(({ state_id }) => state_id)
}

/** Computes all roll-ups of these states in a month from their values. @param month `2026-11-01` */
export async function rebuildStates(tx: Executor, month: string, stateIds: readonly number[]): Promise<void> {
  const ids = sql`${[...stateIds]}::int[]`
  const within = (column: string) =>
    sql`${sql.ref(column)} >= ${month}::date::timestamptz and ${sql.ref(column)} < ${month}::date + interval '1 month'`
  if (stateIds.length === 1) await sql`set local statement_timeout = ${sql.lit(singleTimeout)}`.execute(tx)
  for (const table of ['state_rollups_5m', 'state_rollups_1h', 'state_rollups_1d'])
    await sql`delete from ${sql.table(table)} where state_id = any(${ids}) and ${within('start')}`.execute(tx)
  await sql`
    with slots as materialized (
      select s.state_id, made.* from unnest(${ids}) as s (state_id) cross join lateral (
        select date_bin('5 minutes', time, ${origin}) as slot, ${fromValues} from (
          select time, ${numberOf} as number from ${valuesOf({
            state: sql`s.state_id`,
            since: sql`${month}::date`,
            before: sql`(${month}::date + interval '1 month')`,
          })} as v) as v
        group by 1) as made),
    hours as materialized (
      select state_id, date_bin('1 hour', slot, ${origin}) as start, ${fromRollups}, sum(total) >= 2 * count(*) as fine
      from slots group by 1, 2 order by 1, 2),
    kept_hours as (
      insert into state_rollups_1h (state_id, start, ${rollupColumns}, fine)
      select state_id, start, ${rollupColumns}, fine from hours),
    kept_fives as (
      insert into state_rollups_5m (state_id, start, ${rollupColumns})
      select s.state_id, s.slot, s.first_time, s.last_time, s.sum, s.min, s.max, s.count, s.total
      from slots s join hours h on h.state_id = s.state_id and h.start = date_bin('1 hour', s.slot, ${origin})
      where h.fine)
    insert into state_rollups_1d (state_id, start, ${rollupColumns})
    select state_id, date_bin('24 hours', start, ${origin}) as day, first_time, last_time, sum, min, max, count, total
    from (select state_id, date_bin('24 hours', start, ${origin}) as start, ${fromRollups} from hours group by 1, 2)
      as days`.execute(tx)
}

/** Stores the progress of rebuilding a month; null: done. */
export async function keepRebuild(tx: Executor, month: string, afterStateId: number | null): Promise<void> {
  if (afterStateId === null) await sql`delete from rollup_rebuilds where month = ${month}::date`.execute(tx)
  else
    await sql`
      update rollup_rebuilds set after_state_id = ${afterStateId} where month = ${month}::date`.execute(tx)
}
