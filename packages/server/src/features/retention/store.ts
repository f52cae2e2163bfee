import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { RetainedMonths } from '../objects/index.ts'
import { type AccountSetting, type Partition, partitionOf } from './plan.ts'

/** A longer wait for the lock would block every query that queues behind it. */
const lockTimeout = '1s'

export async function readAccounts(db: Executor): Promise<AccountSetting[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'parent_id as parentId', 'name', 'retention_months as months'])
    .execute()
  return rows
}

/** All monthly partitions of these tables, oldest first. */
export async function readPartitions(db: Executor, months: readonly RetainedMonths[]): Promise<Partition[]> {
  const { rows } = await sql<{ table: string; name: string }>`
    select p.relname as table, c.relname as name
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where i.inhparent = any(${months.map(({ table }) => table)}::regclass[])
    order by right(c.relname, 7), c.relname`.execute(db)
  return rows.flatMap(({ table, name }) => partitionOf(table, name) ?? [])
}

/** Drops a partition with all its rows. Fails when the table is locked for longer than a second. */
export async function dropPartition(tx: Executor, of: RetainedMonths, name: string): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(tx)
  await of.drop(tx, name)
}

/** The next ids in a column of a partition after an id, at most `limit`, in order. */
export async function readOwners(
  db: Executor,
  partition: string,
  column: string,
  after: number,
  limit: number,
): Promise<number[]> {
  const owner = sql.ref(column)
  const table = sql.table(partition)
  // Jumps from one id to the next through the index instead of reading every row.
  const { rows } = await sql<{ id: number }>`
    with recursive found (id) as (
      (select ${owner} from ${table} where ${owner} > ${after} order by ${owner} limit 1)
      union all
      select (select ${owner} from ${table} where ${owner} > found.id order by ${owner} limit 1)
      from found where found.id is not null)
    select id from found where id is not null limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
