import { type DiskKind, type DiskUsage, diskUsageLimits } from '@leitstand/contract/diskUsage'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../platform/db/index.ts'
import type { MeasuredTable } from './tables.ts'

/** Pages of a table that are read to see whose rows they hold; of smaller ones all. */
const pagesMax = 1_000

/** What a table takes with its partitions, indexes and long values. */
export interface TableSize {
  name: string
  bytes: number
  /** without indexes and long values, in pages of the database */
  pages: number
  rows: number
}

export async function readTableSizes(db: Executor): Promise<TableSize[]> {
  const { rows } = await sql<TableSize>`
    select root.relname as name, coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes,
      coalesce(sum(pg_relation_size(c.oid) / current_setting('block_size')::int), 0)::float8 as pages,
      sum(greatest(c.reltuples, 0))::float8 as rows
    from pg_class c
    join pg_class root on root.oid = coalesce(pg_partition_root(c.oid), c.oid)
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    group by root.relname`.execute(db)
  return rows
}

export async function readDatabaseBytes(db: Executor): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

export type Largest = Pick<DiskUsage, 'accounts' | 'twins'>

/**
 * Accounts, devices and twins whose rows take most. A part of the pages of large tables is read; a table's bytes are
 * divided by the sizes of the rows found.
 */
export async function readLargest(
  db: Executor,
  tables: readonly (MeasuredTable & { bytes: number; pages: number })[],
): Promise<Largest> {
  const parts = tables.flatMap(
    ({ kind, name, owner, size = sql<number>`pg_column_size(r)`, bytes, pages }) => {
      if (!owner || pages === 0) return []
      const percent = Math.min(100, (100 * pagesMax) / pages)
      const { join, account, twin } = owner
      return sql`
      select ${kind}::text as kind, ${account} as account_id, ${twin} as twin_id,
        sum(${size}) * ${bytes}::float8 / sum(sum(${size})) over () as bytes
      from ${sql.table(name)} r tablesample system (${percent}) ${join}
      group by 2, 3`
    },
  )
  if (parts.length === 0) return { accounts: [], twins: [] }
  const { largestMax } = diskUsageLimits
  const { rows } = await sql<Largest>`
    with shares as materialized (${sql.join(parts, sql` union all `)}),
    of_accounts as (
      select a.id, a.name, sum(s.bytes) as bytes, jsonb_object_agg(s.kind, s.bytes) as "byKind"
      from (select account_id, kind, sum(bytes) as bytes from shares group by 1, 2) as s
      join accounts a on a.id = s.account_id
      group by a.id, a.name order by sum(s.bytes) desc, a.id limit ${largestMax}),
    largest as (
      select twin_id, sum(bytes) as bytes from shares where twin_id is not null
      group by 1 order by 2 desc, 1 limit ${largestMax}),
    of_twins as (
      select t.id, t.title, t.category, a.name as "accountName", l.bytes, (
        select jsonb_object_agg(k.kind, k.bytes)
        from (select kind, sum(bytes) as bytes from shares where twin_id = l.twin_id group by 1) as k) as "byKind"
      from largest l join twins t on t.id = l.twin_id join accounts a on a.id = t.account_id)
    select
      (select coalesce(jsonb_agg(o order by o.bytes desc, o.id), '[]') from of_accounts o) as accounts,
      (select coalesce(jsonb_agg(o order by o.bytes desc, o.id), '[]') from of_twins o) as twins`.execute(db)
  return rows[0] ?? { accounts: [], twins: [] }
}

export interface Measurement {
  measuredAt: Date
  /** of the database */
  bytes: number
  kinds: Partial<Record<DiskKind, { bytes: number; rows: number }>>
  largest: Largest
}

const columns = sql`measured_at as "measuredAt", bytes::float8 as bytes, kinds, largest`

export async function readNewest(db: Executor): Promise<Measurement | undefined> {
  const { rows } = await sql<Measurement>`
    select ${columns} from disk_measurements order by measured_at desc limit 1`.execute(db)
  return rows[0]
}

/** The oldest that is still kept, not younger than the time. */
export async function readOldest(db: Executor, until: Date): Promise<Measurement | undefined> {
  const { rows } = await sql<Measurement>`
    select ${columns} from disk_measurements where measured_at <= ${until} order by measured_at limit 1`.execute(
    db,
  )
  return rows[0]
}

/** Stores a measurement and forgets those from before a time. */
export async function storeMeasurement(
  db: Executor,
  { measuredAt, bytes, kinds, largest }: Measurement,
  keptFrom: Date,
): Promise<void> {
  await sql`
    with gone as (delete from disk_measurements where measured_at < ${keptFrom})
    insert into disk_measurements (measured_at, bytes, kinds, largest)
    values (${measuredAt}, ${Math.round(bytes)}, ${jsonb(kinds)}, ${jsonb(largest)})
    on conflict (measured_at) do nothing`.execute(db)
}
