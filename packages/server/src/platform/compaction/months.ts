import { type RawBuilder, sql } from 'kysely'
import type { Db, Executor } from '../db/index.ts'

/** A piece that takes longer is tried again with fewer owners. */
const pieceTimeout = '5s'
/** How long an empty month may wait for its lock; every query of the month queues behind it. */
const emptyLockTimeout = '100ms'
/** A vacuum has as long as it needs, within reason. */
const vacuumTimeout = '30min'
/** Size of a month without rows from which its space is given back, in bytes. */
const emptySize = 65_536

/** A month of a table that may have rows to compact. */
export interface Month {
  /** the partition, e.g. `state_values_2026_10` */
  partition: string
  /** `2026-10-01` */
  month: string
  start: Date
  /** first moment after it */
  end: Date
}

/** The months of a table that begin before a time, oldest first. */
export async function readMonths(db: Executor, table: string, before: Date): Promise<Month[]> {
  const { rows } = await sql<Month>`
    select * from (
      select c.relname as partition, to_date(right(c.relname, 7), 'YYYY_MM')::text as month,
        to_date(right(c.relname, 7), 'YYYY_MM')::timestamp at time zone 'UTC' as start,
        (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' as end
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${table}::regclass) as months
    where start < ${before}::timestamptz order by start`.execute(db)
  return rows
}

/**
 * Begins a piece of work.
 * @param lock advisory lock of all that moves or changes old rows
 * @returns false when another transaction does
 */
export async function beginPiece(tx: Executor, lock: number): Promise<boolean> {
  // A crash loses the whole piece, which is then found again.
  await sql`set local synchronous_commit = off`.execute(tx)
  await sql`set local statement_timeout = ${sql.lit(pieceTimeout)}`.execute(tx)
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${lock}) as taken`.execute(tx)
  return rows[0]?.taken ?? false
}

/**
 * The next owners after one that have rows in a month before a time, at most `limit`.
 * @param columns the owner and the time, which an index begins with
 */
export async function readOwnersWithin(
  tx: Executor,
  columns: { owner: string; time: string },
  { partition, start }: Month,
  end: Date,
  afterId: number,
  limit: number,
): Promise<{ found: number[]; last: number | null }> {
  const table = sql.table(partition)
  const [owner, time] = [sql.ref(columns.owner), sql.ref(columns.time)]
  // Skips from owner to owner through the index instead of reading every row.
  const next = (after: RawBuilder<unknown>) => sql`
    select ${owner} from ${table} where ${owner} > ${after} order by ${owner} limit 1`
  const { rows } = await sql<{ id: number; due: boolean }>`
    with recursive stepped (id) as (
      (${next(sql`${afterId}::int`)})
      union all
      select (${next(sql`stepped.id`)}) from stepped where stepped.id is not null),
    listed as (select id from stepped where id is not null limit ${limit})
    select id, exists (
      select from ${table} where ${owner} = listed.id and ${time} >= ${start} and ${time} < ${end}) as due
    from listed`.execute(tx)
  return {
    found: rows.filter(({ due }) => due).map(({ id }) => id),
    last: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  }
}

/** Size of a table, and of its rows alone, in bytes. */
async function sizesOf(db: Executor, table: string): Promise<{ total: number; rows: number }> {
  const { rows } = await sql<{ total: number; rows: number }>`
    select pg_total_relation_size(${table}::regclass)::float8 as total,
      pg_relation_size(${table}::regclass)::float8 as rows`.execute(db)
  return rows[0] ?? { total: 0, rows: 0 }
}

/**
 * Gives back the space of a month that has no rows any more.
 * @param db a connection that is not within a transaction
 * @param truncate deletes all rows of a partition, by `truncate`
 * @returns false when some of it is still needed or in use
 */
export async function giveBack(
  db: Db,
  { partition }: Month,
  truncate: (tx: Executor, partition: string) => Promise<void>,
): Promise<boolean> {
  const before = await sizesOf(db, partition)
  if (before.total <= emptySize) return true
  if (before.rows > 0) await vacuum(db, partition)
  return emptyMonth(db, partition, truncate)
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
async function emptyMonth(
  db: Db,
  partition: string,
  truncate: (tx: Executor, partition: string) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if ((await sizesOf(tx, partition)).rows > 0) return false
    await sql`set local lock_timeout = ${sql.lit(emptyLockTimeout)}`.execute(tx)
    await sql`lock table only ${sql.table(partition)} in access exclusive mode`.execute(tx)
    if ((await sizesOf(tx, partition)).rows > 0) return false
    await truncate(tx, partition)
    return true
  })
}
