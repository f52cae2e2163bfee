import type { AssetStay } from '@leitstand/contract/assets'
import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import type { AssetSight } from './policy.ts'

/** What is known of where an asset is, before its next position. */
export interface Whereabouts {
  twinId: number
  accountId: number
  /** null: in none; it may have been deleted since */
  zoneId: number | null
  /** null: it never had a position */
  since: Date | null
  seenAt: Date | null
  /** it was in a zone that was deleted */
  isZoneGone: boolean
}

/** Those of some twins that are assets, with where they are, locked in the order of their ids. */
export async function lockWhereabouts(tx: Executor, twinIds: readonly number[]): Promise<Whereabouts[]> {
  await sql`
    insert into assets (twin_id, account_id)
    select id, account_id from twins where id = ${anyOf(twinIds)} and type = 'trackable' and category = 'digitalTwin'
    order by id on conflict do nothing`.execute(tx)
  const { rows } = await sql<Whereabouts>`
    select a.twin_id as "twinId", a.account_id as "accountId", a.zone_id as "zoneId", a.zone_since as since,
      a.seen_at as "seenAt",
      exists (select from asset_stays s where s.twin_id = a.twin_id and s.until_at is null and s.zone_id is null) as "isZoneGone"
    from assets a join twins w on w.id = a.twin_id
    where a.twin_id = ${anyOf(twinIds)} and w.type = 'trackable' order by a.twin_id for update of a`.execute(
    tx,
  )
  return rows
}

export interface Zone {
  id: number
  title: string
  polygon: GeoPolygon
}

/** Zones that a place may be in, by its account; `at` counts the places. The smallest first, at most `limit` of each. */
export async function zonesAround(
  tx: Executor,
  places: readonly { accountId: number; latitude: number; longitude: number }[],
  limit: number,
): Promise<(Zone & { at: number })[]> {
  const { rows } = await sql<Zone & { at: number }>`
    select p.at::int, z.id, z.title, z.geo_polygon as polygon
    from unnest(${places.map(({ accountId }) => accountId)}::int[], ${places.map(({ longitude }) => longitude)}::float8[],
      ${places.map(({ latitude }) => latitude)}::float8[]) with ordinality as p (account_id, lon, lat, at)
    cross join lateral (
      select id, title, geo_polygon, geo_bounds from twins z
      where z.account_id = p.account_id and z.type = 'zone' and z.category = 'digitalTwin'
        and z.geo_bounds @> point(p.lon, p.lat)
      order by area(z.geo_bounds), z.id limit ${limit}) as z
    order by p.at, area(z.geo_bounds), z.id`.execute(tx)
  return rows.map(({ at, ...zone }) => ({ ...zone, at: at - 1 }))
}

/** Zones by id; those without a polygon are missing. */
export async function readZones(tx: Executor, ids: readonly number[]): Promise<Zone[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Zone>`
    select id, title, geo_polygon as polygon from twins
    where id = ${anyOf(ids)} and type = 'zone' and geo_polygon is not null`.execute(tx)
  return rows
}

export interface Stay {
  twinId: number
  zone: Pick<Zone, 'id' | 'title'>
  from: Date
  until: Date | null
}

/**
 * Stores where assets are now and the zones they were in.
 * @param ended when the stay that was open ended
 */
export async function writeWhereabouts(
  tx: Executor,
  {
    now,
    ended,
    stays,
  }: {
    now: readonly Pick<Whereabouts, 'twinId' | 'zoneId' | 'since' | 'seenAt'>[]
    ended: ReadonlyMap<number, Date>
    stays: readonly Stay[]
  },
): Promise<void> {
  await sql`
    update assets a set zone_id = n.zone_id, zone_since = n.since, seen_at = n.seen_at
    from jsonb_to_recordset(${jsonb(
      now.map(({ twinId, zoneId, since, seenAt }) => ({
        twin_id: twinId,
        zone_id: zoneId,
        since,
        seen_at: seenAt,
      })),
    )}) as n (twin_id int, zone_id int, since timestamptz, seen_at timestamptz)
    where a.twin_id = n.twin_id`.execute(tx)
  if (ended.size > 0)
    await sql`
      update asset_stays s set until_at = greatest(s.from_at, n.at)
      from unnest(${[...ended.keys()]}::int[], ${[...ended.values()]}::timestamptz[]) as n (twin_id, at)
      where s.twin_id = n.twin_id and s.until_at is null`.execute(tx)
  if (stays.length > 0)
    await tx
      .insertInto('asset_stays')
      .values(
        stays.map(({ twinId, zone, from, until }) => ({
          twin_id: twinId,
          zone_id: zone.id,
          zone_title: zone.title,
          from_at: from,
          until_at: until,
        })),
      )
      .execute()
}

/** Assets in, or perhaps in, zones that have changed, and those in zones that were deleted; with where they are. */
export async function assetsAround(
  tx: Executor,
  accountIds: readonly number[],
  zoneIds: readonly number[],
  limit: number,
): Promise<{ twinId: number; latitude: number; longitude: number }[]> {
  const { rows } = await sql<{ twinId: number; latitude: number; longitude: number }>`
    select w.id as "twinId", w.latitude, w.longitude from twins w
    where w.account_id = ${anyOf(accountIds)} and w.type = 'trackable' and w.category = 'digitalTwin'
      and w.latitude is not null and w.longitude is not null
      and (exists (select from asset_stays s where s.twin_id = w.id and s.until_at is null
          and (s.zone_id is null or s.zone_id = ${anyOf(zoneIds)}))
        or exists (select from twins z where z.id = ${anyOf(zoneIds)} and z.type = 'zone'
          and z.geo_bounds @> point(w.longitude, w.latitude)))
    order by w.id limit ${limit}`.execute(tx)
  return rows
}

/** Those of some twins that are zones, or have assets in them because they were. */
export async function zonesAmong(tx: Executor, twinIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from twins where id = ${anyOf(twinIds)} and type = 'zone'
    union select zone_id from assets where zone_id = ${anyOf(twinIds)}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Whether there is anything whose moves matter. */
export async function hasAssets(db: Executor): Promise<boolean> {
  const { rows } = await sql`
    select 1 from twins where type = 'trackable' and category = 'digitalTwin' limit 1`.execute(db)
  return rows.length > 0
}

/** Zones an asset was in, newest first. */
export async function listStays(
  db: Executor,
  sight: AssetSight,
  { twinId, offset, limit }: { twinId: number; offset: number; limit: number },
): Promise<{ items: AssetStay[]; total: number }> {
  const { rows } = await sql<{
    id: number
    zone_id: number | null
    zone_title: string
    is_seen: boolean
    from_at: Date
    until_at: Date | null
    total: number
  }>`
    select s.id, s.zone_id, s.zone_title, coalesce(z.scope_id = ${anyOf(sight.read)}, false) as is_seen,
      s.from_at, s.until_at, count(*) over ()::int as total
    from asset_stays s left join twins z on z.id = s.zone_id
    where s.twin_id = ${twinId} order by s.id desc offset ${offset} limit ${limit}`.execute(db)
  return {
    items: rows.map((row) => ({
      id: row.id,
      zoneId: row.is_seen ? row.zone_id : null,
      // Of a deleted zone it is no longer known who might see it.
      zone: row.is_seen ? row.zone_title : null,
      from: row.from_at.toISOString(),
      until: row.until_at?.toISOString() ?? null,
    })),
    total: rows[0]?.total ?? 0,
  }
}

/** Ended stays of an account, older than a time. @returns how many were deleted */
export async function deleteOldStays(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from asset_stays where id = any(array(
      select s.id from asset_stays s join assets a on a.twin_id = s.twin_id
      where a.account_id = ${accountId} and s.until_at < ${before} limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
