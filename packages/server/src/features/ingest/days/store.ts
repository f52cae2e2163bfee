import { sql } from 'kysely'
import type { Compactable, Compacted } from '../../../platform/compaction/compactor.ts'
import type { Month } from '../../../platform/compaction/months.ts'
import { int4Array, timeArray } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { packetsPerDayRow } from '../../objects/index.ts'

/** Advisory lock of transactions that move packets between `packets` and `packet_days`; rewriting packets shares it. */
const daysLock = 7_211_015
/** Bytes of payloads and JSON beyond which a row of `packet_days` gets no more packets. */
const bytesPerRow = 1_000_000

const columns = sql`id, received_at, time, account_id, connector_id, device_id, f_port, f_cnt, payload, encoding, meta,
  variables, error, driver_id, driver_version, duration_us`

/**
 * Compacts the first day that each of these devices has packets of in a month before a time, at most `packetsPerDayRow`
 * of them.
 */
async function compactDays(
  tx: Executor,
  { partition, start }: Month,
  end: Date,
  deviceIds: readonly number[],
): Promise<Compacted> {
  const table = sql.table(partition)
  const { rows } = await sql<Compacted>`
    with picked as materialized (
      select v.place_in_table from unnest(${int4Array(deviceIds)}::int4[]) as w (id)
      cross join lateral (
        select received_at as first_at from ${table} p where p.device_id = w.id and p.received_at >= ${start}
          and p.received_at < ${end}
        order by received_at limit 1) as f
      cross join lateral (
        select place_in_table from (
          select ctid as place_in_table, sum(bytes) over (order by received_at, id) - bytes as bytes_before from (
            select ctid, received_at, id, octet_length(payload) + octet_length(meta::text)
              + coalesce(octet_length(variables::text), 0) as bytes
            from ${table} p where p.device_id = w.id and p.received_at >= f.first_at and p.received_at < ${end}
              and p.received_at < date_trunc('day', f.first_at, 'UTC') + interval '24 hours'
            order by received_at, id limit ${packetsPerDayRow}) as day) as day
        where bytes_before < ${bytesPerRow}) as v),
    gone as (
      delete from ${table} where ctid = any(array(select place_in_table from picked))
      returning ${columns}),
    made as (
      insert into packet_days (device_id, first_at, last_at, first_id, count, errors, packets)
      select device_id, min(received_at), max(received_at), (array_agg(id order by received_at, id))[1], count(*)::int,
        count(error)::int, json_agg(json_build_object('id', id, 'received_at', received_at, 'time', time,
          'account_id', account_id, 'connector_id', connector_id, 'device_id', device_id, 'f_port', f_port, 'f_cnt', f_cnt,
          'payload', payload, 'encoding', encoding, 'meta', meta::text, 'variables', variables::text, 'error', error::text,
          'driver_id', driver_id, 'driver_version', driver_version, 'duration_us', duration_us)
          order by received_at, id)::text
      from gone group by device_id
      returning packet_days.*)
    select (select count(*) from gone)::int as moved, count(*)::int as days,
      coalesce(sum(pg_column_size(made.*)), 0)::int as bytes from made`.execute(tx)
  return rows[0] ?? { moved: 0, days: 0, bytes: 0 }
}

/** Makes the days of these packets rows again, for a transaction that changes them. */
export async function reopenDays(
  tx: Executor,
  packets: readonly { deviceId: number; receivedAt: Date }[],
): Promise<void> {
  await sql`
    /* prepared: ingest.shareDays */
    select pg_advisory_xact_lock_shared(${daysLock})`.execute(tx)
  await sql`
    /* prepared: ingest.reopenDays */
    with concerned as materialized (
      select distinct d.device_id, d.first_at, d.first_id
      from unnest(${int4Array(packets.map(({ deviceId }) => deviceId))}::int4[],
        ${timeArray(packets.map(({ receivedAt }) => receivedAt))}::timestamptz[]) as w (device_id, received_at)
      join packet_days d on d.device_id = w.device_id and d.first_at <= w.received_at and d.last_at >= w.received_at
        and d.first_at >= date_trunc('day', w.received_at, 'UTC')),
    opened as (
      delete from packet_days d using concerned c
      where d.device_id = c.device_id and d.first_at = c.first_at and d.first_id = c.first_id
      returning d.packets)
    insert into packets (${columns}) overriding system value
    select u.* from opened cross join lateral packets_of_day(opened.packets) as u`.execute(tx)
}

/** Packets of past days are moved to one row for each device and day. */
export const compactablePackets: Compactable = {
  name: 'packets',
  table: 'packets',
  daysTable: 'packet_days',
  columns: { owner: 'device_id', time: 'received_at' },
  lock: daysLock,
  compact: compactDays,
  truncate: async (tx, partition) => void (await sql`truncate only ${sql.table(partition)}`.execute(tx)),
}
