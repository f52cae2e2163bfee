import type { ConnectorLogEntry, TrafficEntry } from '@leitstand/contract/bridge'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { storableJson } from '../../../platform/storable.ts'

/** Packets kept per connector. */
export const trafficSlots = 100

/** The last sequence number of a packet, by connector. @param of only this one */
export async function readTrafficSeqs(
  db: Executor,
  of?: number,
): Promise<{ connectorId: number; seq: number }[]> {
  const { rows } = await sql<{ connectorId: number; seq: number }>`
    select connector_id as "connectorId", max(seq) as seq from connector_traffic
    where ${of ?? null}::int is null or connector_id = ${of ?? null}::int group by connector_id`.execute(db)
  return rows
}

/** Overwrites the oldest packets. Does nothing for a deleted connector. */
export async function upsertTraffic(
  db: Executor,
  connectorId: number,
  entries: readonly TrafficEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => ({
    slot: entry.seq % trafficSlots,
    seq: entry.seq,
    at: entry.at,
    identifier: entry.identifier,
    device_id: entry.deviceId,
    raw: entry.raw,
    decoded: entry.decoded,
    error: entry.error,
    duration_us: entry.durationUs,
  }))
  await sql`
    insert into connector_traffic (connector_id, slot, seq, at, identifier, device_id, raw, decoded, error, duration_us)
    select c.id, e.slot, e.seq, e.at, e.identifier, e.device_id, e.raw,
      nullif(e.decoded, 'null'::jsonb), nullif(e.error, 'null'::jsonb), e.duration_us
    from connectors c, jsonb_to_recordset(${storableJson(JSON.stringify(rows))}::jsonb) as e (slot smallint, seq bigint, at timestamptz,
      identifier text, device_id int, raw text, decoded jsonb, error jsonb, duration_us int)
    where c.id = ${connectorId}
    on conflict (connector_id, slot) do update set seq = excluded.seq, at = excluded.at,
      identifier = excluded.identifier, device_id = excluded.device_id, raw = excluded.raw,
      decoded = excluded.decoded, error = excluded.error, duration_us = excluded.duration_us`.execute(db)
}

/** The last packets, newest first. */
export async function listTraffic(db: Executor, connectorId: number, limit: number): Promise<TrafficEntry[]> {
  const { rows } = await sql<Omit<TrafficEntry, 'at'> & { at: Date }>`
    select seq, at, identifier, device_id as "deviceId", raw, decoded, error, duration_us as "durationUs"
    from connector_traffic where connector_id = ${connectorId} order by seq desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** Adds connection events and deletes all but the last `keep`. Does nothing for a deleted connector. */
export async function insertLogs(
  db: Executor,
  connectorId: number,
  entries: readonly (Omit<ConnectorLogEntry, 'id' | 'at'> & { at: Date })[],
  keep: number,
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry, place) => ({ ...entry, place }))
  await sql`
    insert into connector_logs (connector_id, at, level, event, message)
    select c.id, e.at, e.level, e.event, e.message
    from connectors c, jsonb_to_recordset(${storableJson(JSON.stringify(rows))}::jsonb)
      as e (place int, at timestamptz, level text, event text, message text)
    where c.id = ${connectorId} order by e.place`.execute(db)
  await sql`
    delete from connector_logs where connector_id = ${connectorId} and id < coalesce((
      select id from connector_logs where connector_id = ${connectorId} order by id desc offset ${keep - 1} limit 1
    ), 0)`.execute(db)
}

/** The last connection events, newest first. */
export async function listLogs(
  db: Executor,
  connectorId: number,
  limit: number,
): Promise<ConnectorLogEntry[]> {
  const { rows } = await sql<Omit<ConnectorLogEntry, 'at'> & { at: Date }>`
    select id, at, level, event, message from connector_logs
    where connector_id = ${connectorId} order by id desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** Adds to the refusal counts of a connector. Does nothing for a deleted connector. */
export async function addRefusals(
  db: Executor,
  connectorId: number,
  counts: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  if (counts.size === 0) return
  await sql`
    insert into connector_refusals as r (connector_id, reason, count, last_at)
    select c.id, n.reason, n.count, ${now}
    from connectors c, unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::bigint[]) as n (reason, count)
    where c.id = ${connectorId}
    on conflict (connector_id, reason) do update set count = r.count + excluded.count, last_at = excluded.last_at`.execute(
    db,
  )
}

/** Refusals of a connector since it was created, most frequent first. */
export async function listRefusals(
  db: Executor,
  connectorId: number,
): Promise<{ reason: string; count: number; lastAt: Date }[]> {
  const { rows } = await sql<{ reason: string; count: number; lastAt: Date }>`
    select reason, count, last_at as "lastAt" from connector_refusals
    where connector_id = ${connectorId} order by count desc, reason`.execute(db)
  return rows
}
