import { type RawBuilder, sql } from 'kysely'
import { int4Array, timeArray } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { ensureMonth } from '../../../platform/db/months.ts'
import { valuesOf } from '../days/read.ts'
import { fromRollups, fromValues, numberOf, origin, rollupColumns } from './combine.ts'
import { type Change, type Level, level } from './levels.ts'

/** Advisory lock of transactions that compute roll-ups: one at a time across all processes. */
const rollupLock = 7_211_013

/** A piece that takes longer is retried with a smaller size. */
const statementTimeout = '20s'

const tables = ['state_rollups_5m', 'state_rollups_1h', 'state_rollups_1d'] as const

/** Statement that appends to the list of changes. */
export function appendChanges(changes: readonly Change[]): RawBuilder<unknown> {
  const ends: number[] = []
  for (const { stateIds } of changes) ends.push((ends.at(-1) ?? 0) + stateIds.length)
  const starts = ends.map((end, index) => end - (changes[index] as Change).stateIds.length + 1)
  return sql`
    /* prepared: series.appendChanges */
    insert into series_changes (slot, state_ids)
    select slot, ids[first:last]
    from (select ${int4Array(changes.flatMap(({ stateIds }) => stateIds))}::int4[] as ids) as a,
      unnest(${timeArray(changes.map(({ slot }) => slot))}::timestamptz[], ${int4Array(starts)}::int4[],
        ${int4Array(ends)}::int4[]) as c (slot, first, last)`
}

/** Creates the partitions of all roll-ups for a month (`2026-11-01`). */
export async function ensureRollupMonth(db: Executor, month: string): Promise<void> {
  for (const table of tables) await ensureMonth(db, table, month)
}

/** Work that is due. */
export interface Due {
  changes: boolean
  levels: Record<Level, boolean>
  /** newest month that is being rebuilt */
  rebuild: { month: string; afterStateId: number } | null
}

/** Finds the work that is due. @param newest the newest start that is due, by level */
export async function lookForDue(db: Executor, newest: Record<Level, Date>): Promise<Due> {
  const due = (of: Level) =>
    sql`exists (select from rollup_pending where level = ${of} and start <= ${newest[of]})`
  const { rows } = await sql<{
    changes: boolean
    fives: boolean
    hours: boolean
    days: boolean
    month: string | null
    after_state_id: number | null
  }>`
    select exists (select from series_changes) as changes, ${due(level.fiveMinutes)} as fives,
      ${due(level.hour)} as hours, ${due(level.day)} as days, r.month, r.after_state_id
    from (values (1)) as one left join lateral (
      select month, after_state_id from rollup_rebuilds order by month desc limit 1) as r on true`.execute(db)
  const row = rows[0]
  return {
    changes: row?.changes ?? false,
    levels: { 0: row?.fives ?? false, 1: row?.hours ?? false, 2: row?.days ?? false },
    rebuild: row?.month == null ? null : { month: row.month, afterStateId: row.after_state_id as number },
  }
}

/**
 * Takes the roll-up lock for this transaction, or returns false when another one has it. Commits do not wait
 * for the disk: a crash loses the whole transaction including its removals from the list.
 */
export async function beginPiece(tx: Executor): Promise<boolean> {
  await sql`set local synchronous_commit = off`.execute(tx)
  await sql`set local statement_timeout = ${sql.lit(statementTimeout)}`.execute(tx)
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${rollupLock}) as taken`.execute(tx)
  return rows[0]?.taken ?? false
}

/**
 * Moves the oldest changes into the list of pending roll-ups. States with several values in 5 minutes get
 * 5-minute roll-ups, so that a closed hour need not be read again; so do stored 5 minutes that are now stale.
 * These mark their hours in turn. All other changes mark their hour directly.
 * @returns the number of changes moved
 */
export async function takeChanges(tx: Executor, limit: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from series_changes where id in (select id from series_changes order by id limit ${limit})
      returning slot, state_ids),
    touched as materialized (
      select slot, state_id, count(*) as times from taken cross join lateral unnest(state_ids) as u (state_id)
      group by slot, state_id),
    marked as materialized (
      select slot, state_id, times > 1 or exists (
        select from state_rollups_5m r where r.state_id = t.state_id and r.start = t.slot) as fine
      from touched t),
    fives as (
      insert into rollup_pending (level, start, state_id)
      select ${level.fiveMinutes}::smallint, slot, state_id from marked where fine
      on conflict do nothing),
    hours as (
      insert into rollup_pending (level, start, state_id)
      select distinct ${level.hour}::smallint, date_bin('1 hour', slot, ${origin}), state_id from marked
      where not fine
      on conflict do nothing)
    select count(*)::int as taken from taken`.execute(tx)
  return rows[0]?.taken ?? 0
}

/** Months of the next roll-ups that are due, as `2026-11-01`. */
export async function readDueMonths(tx: Executor, of: Level, newest: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select distinct date_trunc('month', start, 'UTC')::date as month
    from (select start from rollup_pending where level = ${of} and start <= ${newest}
      order by start, state_id limit ${limit}) as due`.execute(tx)
  return rows.map(({ month }) => month)
}

/** The next roll-ups that are due, oldest first. */
const dueOf = (of: Level, newest: Date, limit: number) => sql`
  select start, state_id from rollup_pending where level = ${of} and start <= ${newest}
  order by start, state_id limit ${limit}`

const doneWith = (of: Level) => sql`
  delete from rollup_pending p using due d where p.level = ${of} and p.start = d.start and p.state_id = d.state_id`

const renew = sql`on conflict (state_id, start) do update set first_time = excluded.first_time,
  last_time = excluded.last_time, sum = excluded.sum, min = excluded.min, max = excluded.max, count = excluded.count,
  total = excluded.total`

/** An interval of a state. */
export interface Interval {
  stateId: number
  start: Date
}

/** The result of a statement of a piece, with the intervals still to be deleted. */
export interface Rolled {
  done: number
  /** intervals that no longer have values */
  emptied: Interval[]
  /** hours with too few values to keep their 5-minute roll-ups */
  coarse: Interval[]
}

interface RolledRow {
  done: number
  emptied: { stateId: number; start: string }[] | null
  coarse: { stateId: number; start: string }[] | null
}

/** Only lists the rows to delete: deletions are rare and much faster as separate statements. */
const outcome = (coarse: RawBuilder<boolean>) => sql`
  select (select count(*) from due)::int as done,
    (select json_agg(json_build_object('stateId', state_id, 'start', start)) from computed
      where coalesce(total, 0) = 0) as emptied,
    (select json_agg(json_build_object('stateId', state_id, 'start', start)) from computed where ${coarse}) as coarse`

function toRolled(row: RolledRow | undefined): Rolled {
  const toIntervals = (found: RolledRow['emptied']) =>
    (found ?? []).map(({ stateId, start }) => ({ stateId, start: new Date(start) }))
  return {
    done: row?.done ?? 0,
    emptied: toIntervals(row?.emptied ?? null),
    coarse: toIntervals(row?.coarse ?? null),
  }
}

/** Computes 5-minute roll-ups from values. */
export async function rollFives(tx: Executor, newest: Date, limit: number): Promise<Rolled> {
  const { rows } = await sql<RolledRow>`
    with due as materialized (${dueOf(level.fiveMinutes, newest, limit)}),
    computed as materialized (
      select d.state_id, d.start, made.* from due d cross join lateral (
        select ${fromValues} from (
          select time, ${numberOf} as number from ${valuesOf({
            state: sql`d.state_id`,
            since: sql`d.start`,
            before: sql`(d.start + interval '5 minutes')`,
          })} as v) as v
      ) as made
      order by d.state_id, d.start),
    kept as (
      insert into state_rollups_5m (state_id, start, ${rollupColumns})
      select state_id, start, ${rollupColumns} from computed where total > 0 ${renew}),
    done as (${doneWith(level.fiveMinutes)}),
    above as (
      insert into rollup_pending (level, start, state_id)
      select distinct ${level.hour}::smallint, date_bin('1 hour', start, ${origin}), state_id from due
      on conflict do nothing)
    ${outcome(sql`false`)}`.execute(tx)
  return toRolled(rows[0])
}

/** 5-minute slots of hours without stored 5-minute roll-ups. */
const slotsFromValues = sql`
  select m.state_id, m.start as hour, made.slot, ${rollupColumns}, false as stored
  from marked m cross join lateral (
    select date_bin('5 minutes', time, ${origin}) as slot, ${fromValues} from (
      select time, ${numberOf} as number from ${valuesOf({
        state: sql`m.state_id`,
        since: sql`m.start`,
        before: sql`(m.start + interval '1 hour')`,
      })} as v) as v
    group by 1) as made
  where not m.has_fives`

/** 5-minute slots of the other hours: from stored roll-ups, or from values where none is stored yet. */
const slotsFromFives = sql`
  select m.state_id, m.start as hour, s.slot, coalesce(r.first_time, made.first_time) as first_time,
    coalesce(r.last_time, made.last_time) as last_time, coalesce(r.sum, made.sum) as sum,
    coalesce(r.min, made.min) as min, coalesce(r.max, made.max) as max, coalesce(r.count, made.count) as count,
    coalesce(r.total, made.total) as total, r.total is not null as stored
  from marked m
  cross join lateral (select m.start + n * interval '5 minutes' as slot from generate_series(0, 11) as n) as s
  left join lateral (
    select ${rollupColumns} from state_rollups_5m r where r.state_id = m.state_id and r.start = s.slot offset 0
  ) as r on true
  left join lateral (
    select ${fromValues} from (
      select time, ${numberOf} as number from ${valuesOf({
        state: sql`m.state_id`,
        since: sql`s.slot`,
        before: sql`(s.slot + interval '5 minutes')`,
      })} as v where r.total is null) as v
  ) as made on true
  where m.has_fives and (r.total is not null or made.total > 0)`

/**
 * Computes hourly roll-ups, from 5-minute ones where they are stored and from values otherwise. The 5-minute
 * roll-ups of an hour are stored, all or none, if there are at most half as many as values.
 */
export async function rollHours(tx: Executor, newest: Date, limit: number): Promise<Rolled> {
  const { rows } = await sql<RolledRow>`
    with due as materialized (${dueOf(level.hour, newest, limit)}),
    marked as materialized (
      select d.*, exists (select from state_rollups_5m r
        where r.state_id = d.state_id and r.start >= d.start and r.start < d.start + interval '1 hour') as has_fives
      from due d),
    slots as materialized (${slotsFromValues} union all ${slotsFromFives}),
    computed as materialized (
      select d.state_id, d.start, ${rollupColumns}, coalesce(total >= 2 * slots, false) as fine, d.has_fives
      from marked d left join (
        select state_id as made_of, hour, ${fromRollups}, count(*) as slots from slots group by state_id, hour) as made
        on made_of = d.state_id and hour = d.start
      order by d.state_id, d.start),
    kept as (
      insert into state_rollups_1h (state_id, start, ${rollupColumns}, fine)
      select state_id, start, ${rollupColumns}, fine from computed where total > 0 ${renew}, fine = excluded.fine),
    fives as (
      insert into state_rollups_5m (state_id, start, ${rollupColumns})
      select s.state_id, s.slot, s.first_time, s.last_time, s.sum, s.min, s.max, s.count, s.total from slots s
      join computed c on c.state_id = s.state_id and c.start = s.hour
      where c.fine and not s.stored ${renew}),
    done as (${doneWith(level.hour)}),
    above as (
      insert into rollup_pending (level, start, state_id)
      select distinct ${level.day}::smallint, date_bin('24 hours', start, ${origin}), state_id from due
      on conflict do nothing)
    ${outcome(sql`has_fives and not fine`)}`.execute(tx)
  return toRolled(rows[0])
}

/** Computes daily roll-ups from hourly ones. */
export async function rollDays(tx: Executor, newest: Date, limit: number): Promise<Rolled> {
  const { rows } = await sql<RolledRow>`
    with due as materialized (${dueOf(level.day, newest, limit)}),
    computed as materialized (
      select d.state_id, d.start, made.* from due d cross join lateral (
        select ${fromRollups} from state_rollups_1h r
        where r.state_id = d.state_id and r.start >= d.start and r.start < d.start + interval '24 hours') as made
      order by d.state_id, d.start),
    kept as (
      insert into state_rollups_1d (state_id, start, ${rollupColumns})
      select state_id, start, ${rollupColumns} from computed where total > 0 ${renew}),
    done as (${doneWith(level.day)})
    ${outcome(sql`false`)}`.execute(tx)
  return toRolled(rows[0])
}

const tableOf: Record<Level, (typeof tables)[number]> = {
  [level.fiveMinutes]: 'state_rollups_5m',
  [level.hour]: 'state_rollups_1h',
  [level.day]: 'state_rollups_1d',
}

/** Deletes roll-ups of intervals that no longer have values. */
export async function deleteRollups(tx: Executor, of: Level, gone: readonly Interval[]): Promise<void> {
  if (gone.length === 0) return
  await sql`
    delete from ${sql.table(tableOf[of])} r
    using unnest(${int4Array(gone.map(({ stateId }) => stateId))}::int4[], ${timeArray(gone.map(({ start }) => start))}::timestamptz[])
      as g (state_id, start)
    where r.state_id = g.state_id and r.start = g.start`.execute(tx)
}

/** Deletes the 5-minute roll-ups of hours. */
export async function deleteFives(tx: Executor, hours: readonly Interval[]): Promise<void> {
  if (hours.length === 0) return
  await sql`
    delete from state_rollups_5m r
    using unnest(${int4Array(hours.map(({ stateId }) => stateId))}::int4[], ${timeArray(hours.map(({ start }) => start))}::timestamptz[])
      as h (state_id, start)
    where r.state_id = h.state_id and r.start >= h.start and r.start < h.start + interval '1 hour'`.execute(
    tx,
  )
}

/** Lets all roll-ups of a month be computed again from the values. @param month `2026-11-01` */
export async function requestRebuild(tx: Executor, month: string): Promise<void> {
  await ensureRollupMonth(tx, month)
  await sql`insert into rollup_rebuilds (month) values (${month}::date)
    on conflict (month) do update set after_state_id = 0`.execute(tx)
}
