import { sql } from 'kysely'
import { int4Array } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type AccountSetting, type Partition, partitionOf } from './plan.ts'

/** Tables with monthly partitions, with the columns for time and owner. */
const partitioned = {
  state_values: { time: 'time', owner: 'state_id' },
  state_rollups_5m: { time: 'start', owner: 'state_id' },
  state_rollups_1h: { time: 'start', owner: 'state_id' },
  state_rollups_1d: { time: 'start', owner: 'state_id' },
  packets: { time: 'received_at', owner: 'device_id' },
} as const

type Owner = (typeof partitioned)[keyof typeof partitioned]['owner']

/** A longer wait for the lock would block every query that queues behind it. */
const lockTimeout = '1s'

export async function readAccounts(db: Executor): Promise<AccountSetting[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'parent_id as parentId', 'name', 'retention_months as months'])
    .execute()
  return rows
}

/** All monthly partitions, oldest first. */
export async function readPartitions(db: Executor): Promise<Partition[]> {
  const { rows } = await sql<{ table: string; name: string }>`
    select p.relname as table, c.relname as name
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where i.inhparent = any(${Object.keys(partitioned)}::regclass[])
    order by right(c.relname, 7), c.relname`.execute(db)
  return rows.flatMap(({ table, name }) => partitionOf(table, name) ?? [])
}

/** Drops a partition with all its rows. Fails when the table is locked for longer than a second. */
export async function dropPartition(tx: Executor, { table, name }: Partition): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(tx)
  await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)}`.execute(tx)
  await sql`drop table ${sql.table(name)}`.execute(tx)
}

/** The owners of the rows in a partition: states or devices. */
export function ownerOf({ table }: Partition): Owner {
  return partitioned[table as keyof typeof partitioned].owner
}

/** The next states or devices of an account after an id, at most `limit`, by id. */
export async function readOwners(
  db: Executor,
  owner: Owner,
  accountId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const from =
    owner === 'state_id'
      ? sql`states o join twins t on t.id = o.twin_id`
      : sql`twins t join virtual_devices v on v.twin_id = t.id cross join lateral (select t.id) as o`
  const { rows } = await sql<{ id: number }>`
    select o.id from ${from} where t.account_id = ${accountId} and o.id > ${after}
    order by o.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The next deleted states or devices that still have rows in a partition, and the last id searched. */
export async function readGone(
  db: Executor,
  partition: Partition,
  after: number,
  limit: number,
): Promise<{ gone: number[]; last: number | null }> {
  const owner = sql.ref(ownerOf(partition))
  const table = sql.table(partition.name)
  const exists =
    ownerOf(partition) === 'state_id'
      ? sql`exists (select from states s where s.id = f.id)`
      : sql`exists (select from virtual_devices v where v.twin_id = f.id)`
  // Jumps from one id to the next through the index instead of reading every row.
  const { rows } = await sql<{ id: number; exists: boolean }>`
    with recursive found (id) as (
      (select ${owner} from ${table} where ${owner} > ${after} order by ${owner} limit 1)
      union all
      select (select ${owner} from ${table} where ${owner} > found.id order by ${owner} limit 1)
      from found where found.id is not null)
    select f.id, ${exists} as exists from (select id from found where id is not null limit ${limit}) as f`.execute(
    db,
  )
  const gone = rows.filter((row) => !row.exists).map(({ id }) => id)
  return { gone, last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
}

/** Deletes older rows of these owners from a partition, at most `limit`. @returns how many */
export async function deleteRows(
  tx: Executor,
  partition: Partition,
  owners: readonly number[],
  before: Date,
  limit: number,
): Promise<number> {
  const { time, owner } = partitioned[partition.table as keyof typeof partitioned]
  const table = sql.table(partition.name)
  const { numAffectedRows } = await sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table}
      where ${sql.ref(owner)} = any(${int4Array(owners)}::int4[]) and ${sql.ref(time)} < ${before}
      limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Records other than values that follow the same retention. */
export const records = [
  ...(['dead_letters', 'rule_executions', 'alarms', 'device_health_log'] as const),
  ...(['downlinks', 'mails', 'activities'] as const),
] as const
export type RecordTable = (typeof records)[number]

const oldRecords = {
  dead_letters: (accountId: number, before: Date) =>
    sql`account_id = ${accountId} and received_at < ${before}`,
  rule_executions: (accountId: number, before: Date) =>
    sql`rule_id in (select id from rules where account_id = ${accountId}) and at < ${before}`,
  // An open alarm is kept, however old it is.
  alarms: (accountId: number, before: Date) => sql`account_id = ${accountId} and resolved_at < ${before}`,
  // The same for health problems that are still open.
  device_health_log: (accountId: number, before: Date) =>
    sql`until < ${before} and twin_id in (select id from twins where account_id = ${accountId})`,
  // Waiting downlinks are kept, however old they are.
  downlinks: (accountId: number, before: Date) =>
    sql`account_id = ${accountId} and requested_at < ${before} and state <> 'requested'`,
  mails: (accountId: number, before: Date) =>
    sql`account_id = ${accountId} and created_at < ${before} and status <> 'queued'`,
  activities: (accountId: number, before: Date) => sql`account_id = ${accountId} and at < ${before}`,
}

/**
 * Deletes old entries of the activity log that belong to no account, or to a deleted one. @returns how many
 */
export async function deleteOrphanedActivities(tx: Executor, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from activities where id = any(array(
      select id from activities l where at < ${before}
        and (account_id is null or not exists (select from accounts a where a.id = l.account_id))
      limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Deletes old records of an account, at most `limit`. @returns how many */
export async function deleteRecords(
  tx: Executor,
  table: RecordTable,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where id = any(array(
      select id from ${sql.table(table)} where ${oldRecords[table](accountId, before)} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
