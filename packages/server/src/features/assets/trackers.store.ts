import type { AssetTracker } from '@leitstand/contract/assets'
import type { Search } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import type { AssetSight } from './policy.ts'

/** Visible devices that no asset has, by title. */
export async function listFreeDevices(
  db: Executor,
  sight: AssetSight,
  { search, offset, limit }: { search: Search | null; offset: number; limit: number },
): Promise<{ items: { id: number; title: string; externalId: string }[]; total: number }> {
  const where = sql`d.category = 'virtualDevice' and d.scope_id = ${anyOf(sight.devices)}
    and not exists (select from asset_trackers k where k.device_id = d.id and k.unbound_at is null)
    and ${search ? matches([sql`d.search`], search) : sql`true`}`
  const { rows } = await sql<{ id: number; title: string; externalId: string }>`
    select d.id, d.title, v.external_id as "externalId" from twins d join virtual_devices v on v.twin_id = d.id
    where ${where} order by d.title collate natural_order, d.id offset ${offset} limit ${limit}`.execute(db)
  const counted = await sql<{
    total: number
  }>`select count(*)::int as total from twins d where ${where}`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

export interface Device {
  id: number
  title: string
  latitude: number | null
  longitude: number | null
}

/** A visible device of an account. */
export async function findDevice(
  tx: Executor,
  sight: AssetSight,
  { id, accountId }: { id: number; accountId: number },
): Promise<Device | undefined> {
  const { rows } = await sql<Device>`
    select id, title, latitude, longitude from twins where id = ${id} and account_id = ${accountId}
      and category = 'virtualDevice' and scope_id = ${anyOf(sight.devices)} for key share`.execute(tx)
  return rows[0]
}

/** Visible devices of an account by their external ids; several connectors may have the same. */
export async function findDevicesByExternalId(
  tx: Executor,
  sight: AssetSight,
  accountId: number,
  externalIds: readonly string[],
): Promise<(Device & { externalId: string; isTaken: boolean })[]> {
  const { rows } = await sql<Device & { externalId: string; isTaken: boolean }>`
    select d.id, d.title, d.latitude, d.longitude, v.external_id as "externalId",
      exists (select from asset_trackers k where k.device_id = d.id and k.unbound_at is null) as "isTaken"
    from virtual_devices v join twins d on d.id = v.twin_id
    where v.external_id = any(${[...externalIds]}::text[]) and d.account_id = ${accountId}
      and d.scope_id = ${anyOf(sight.devices)}`.execute(tx)
  return rows
}

export async function insertTrackers(
  tx: Executor,
  trackers: readonly { twinId: number; device: Device }[],
  { by, at }: { by: string; at: Date },
): Promise<void> {
  if (trackers.length === 0) return
  await tx
    .insertInto('asset_trackers')
    .values(
      trackers.map(({ twinId, device }) => ({
        twin_id: twinId,
        device_id: device.id,
        device_title: device.title,
        bound_at: at,
        bound_by: by,
      })),
    )
    .execute()
}

/** @returns the name of the device; undefined: the asset has none */
export async function endTracker(
  tx: Executor,
  twinId: number,
  { by, at }: { by: string; at: Date },
): Promise<string | undefined> {
  const ended = await tx
    .updateTable('asset_trackers')
    .set({ unbound_at: at, unbound_by: by })
    .where('twin_id', '=', twinId)
    .where('unbound_at', 'is', null)
    .returning('device_title')
    .executeTakeFirst()
  return ended?.device_title
}

/** Trackers of an asset, newest first. */
export async function listTrackers(
  db: Executor,
  sight: AssetSight,
  { twinId, offset, limit }: { twinId: number; offset: number; limit: number },
): Promise<{ items: AssetTracker[]; total: number }> {
  const { rows } = await sql<{
    id: number
    device_id: number | null
    device_title: string
    is_seen: boolean
    sees_users: boolean
    bound_at: Date
    bound_by: string
    unbound_at: Date | null
    unbound_by: string | null
    total: number
  }>`
    select k.id, k.device_id, k.device_title, k.bound_at, k.bound_by, k.unbound_at, k.unbound_by,
      coalesce(d.scope_id = ${anyOf(sight.devices)}, false) as is_seen,
      w.scope_id = ${anyOf(sight.users)} as sees_users, count(*) over ()::int as total
    from asset_trackers k join twins w on w.id = k.twin_id left join twins d on d.id = k.device_id
    where k.twin_id = ${twinId} order by k.id desc offset ${offset} limit ${limit}`.execute(db)
  return {
    items: rows.map((row) => ({
      id: row.id,
      deviceId: row.is_seen ? row.device_id : null,
      device: row.is_seen ? row.device_title : null,
      from: row.bound_at.toISOString(),
      until: row.unbound_at?.toISOString() ?? null,
      boundBy: row.sees_users ? row.bound_by : null,
      unboundBy: row.sees_users ? row.unbound_by : null,
    })),
    total: rows[0]?.total ?? 0,
  }
}

/** Devices that reported where an asset was in a period, and when, in their order. */
export async function trackersIn(
  db: Executor,
  twinId: number,
  { start, end }: { start: Date; end: Date },
  limit: number,
): Promise<{ deviceId: number; from: Date; until: Date | null }[]> {
  const { rows } = await sql<{ deviceId: number; from: Date; until: Date | null }>`
    select device_id as "deviceId", bound_at as "from", unbound_at as until from asset_trackers
    where twin_id = ${twinId} and device_id is not null and bound_at < ${end}
      and (unbound_at is null or unbound_at > ${start})
    order by id desc limit ${limit}`.execute(db)
  return rows.reverse()
}

/** The assets whose position some devices report, with the account of each. */
export async function trackedBy(tx: Executor, deviceIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ deviceId: number; twinId: number }>`
    select device_id as "deviceId", twin_id as "twinId" from asset_trackers
    where device_id = ${anyOf(deviceIds)} and unbound_at is null`.execute(tx)
  return new Map(rows.map(({ deviceId, twinId }) => [deviceId, twinId]))
}
