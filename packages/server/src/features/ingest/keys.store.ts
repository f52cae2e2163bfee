import { type RawBuilder, sql } from 'kysely'
import { int4Array, int8Array } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'

/** Indexes of the packets that were stored within the last two days. */
export async function findKnown(
  db: Executor,
  days: readonly [today: string, yesterday: string],
  packets: readonly { deviceId: number; key: bigint | null }[],
): Promise<Set<number>> {
  // The limit makes the planner use one index look-up per key instead of hashing whole days.
  const { rows } = await sql<{ n: number }>`
    /* prepared: ingest.findKnown */
    select w.n::int - 1 as n
    from unnest(${int4Array(packets.map(({ deviceId }) => deviceId))}::int4[],
      ${int8Array(packets.map(({ key }) => key))}::int8[]) with ordinality as w (device_id, key, n),
    lateral (
      select from packet_keys p
      where p.day in (${days[0]}::date, ${days[1]}::date) and p.device_id = w.device_id and p.key = w.key
      limit 1) as k`.execute(db)
  return new Set(rows.map(({ n }) => n))
}

/**
 * Statement that stores keys of packets, so that duplicates within two days are recognised. Fails if a key is
 * already stored for this day.
 */
export function rememberKeys(
  day: string,
  packets: readonly { deviceId: number; key: bigint }[],
): RawBuilder<unknown> {
  return sql`
    /* prepared: ingest.rememberKeys */
    insert into packet_keys (day, device_id, key)
    select ${day}::date, * from unnest(${int4Array(packets.map(({ deviceId }) => deviceId))}::int4[],
      ${int8Array(packets.map(({ key }) => key))}::int8[])`
}

const table = 'packet_keys'
const dayMs = 86_400_000

/** The UTC day of reception under which keys are stored, `2026-11-20`. */
export function keyDay(now: Date, plusDays = 0): string {
  return new Date(now.getTime() + plusDays * dayMs).toISOString().slice(0, 10)
}

/** Creates the partitions of packet keys for these days and drops those before `dropBefore`. */
export async function rollPacketKeys(
  db: Executor,
  days: readonly string[],
  dropBefore: string,
): Promise<void> {
  for (const day of days) await sql`select ensure_day_partition(${table}, ${day}::date)`.execute(db)
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass and c.relname < ${`packet_keys_${dropBefore.replaceAll('-', '_')}`}`.execute(
    db,
  )
  for (const { name } of rows) await sql`drop table if exists ${sql.table(name)}`.execute(db)
}
