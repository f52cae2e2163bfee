import type { AssetZone } from '@leitstand/contract/assets'
import type { GeoBounds } from '@leitstand/contract/geo'
import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import type { Search } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import type { AssetSight } from './policy.ts'

interface ZoneFilter {
  search?: Search | null | undefined
  accountIds?: readonly number[] | undefined
}

/** Zones `z` that the caller sees. */
const visible = (sight: AssetSight, { search, accountIds }: ZoneFilter) => sql`
  z.type = 'zone' and z.category = 'digitalTwin' and z.scope_id = ${anyOf(sight.read)}
  and ${search ? matches([sql`z.search`], search) : sql`true`}
  and ${accountIds ? sql`z.account_id = ${anyOf(accountIds)}` : sql`true`}`

/**
 * Zones by title, with their assets now and in a period. Only assets the caller sees count.
 * @param since begin of the period, which ends `now`
 */
export async function listZones(
  db: Executor,
  sight: AssetSight,
  filter: ZoneFilter,
  { since, now, offset, limit }: { since: Date; now: Date; offset: number; limit: number },
): Promise<{ items: AssetZone[]; total: number }> {
  const seen = sql`exists (select from twins w where w.id = a.twin_id and w.type = 'trackable'
    and w.scope_id = ${anyOf(sight.read)})`
  const { rows } = await sql<AssetZone>`
    with page as (
      select z.id, z.title, z.account_id, z.geo_polygon is not null as has_polygon from twins z
      where ${visible(sight, filter)}
      order by z.title collate natural_order, z.id offset ${offset} limit ${limit})
    select page.id, page.title, page.account_id as "accountId", o.name as "accountName",
      page.has_polygon as "hasPolygon", here.assets, here.strangers, own.expected, own.missing, past.stays,
      past.median as "medianSeconds", past.occupied
    from page join accounts o on o.id = page.account_id
    cross join lateral (
      select count(*)::int as assets,
        count(*) filter (where a.home_zone_id <> page.id)::int as strangers
      from assets a where a.zone_id = page.id and ${seen}) as here
    cross join lateral (
      select count(*)::int as expected,
        count(*) filter (where a.zone_id is distinct from page.id
          and not exists (select from asset_loans l where l.twin_id = a.twin_id and l.returned_at is null))::int as missing
      from assets a where a.home_zone_id = page.id and ${seen}) as own
    cross join lateral (
      select count(*)::int as stays,
        percentile_cont(0.5) within group (order by extract(epoch from s.until_at - s.from_at))
          filter (where s.until_at is not null) as median,
        coalesce((select sum(extract(epoch from upper(part) - lower(part)))
          from unnest(range_agg(tstzrange(greatest(s.from_at, ${since}), least(coalesce(s.until_at, ${now}), ${now})))) as part), 0)
          / extract(epoch from ${now}::timestamptz - ${since}::timestamptz) as occupied
      from asset_stays s join assets a on a.twin_id = s.twin_id
      where s.zone_id = page.id and (s.until_at is null or s.until_at > ${since}) and s.from_at <= ${now} and ${seen}) as past
    order by page.title collate natural_order, page.id`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from twins z where ${visible(sight, filter)}`.execute(db)
  return {
    items: rows.map((row) => ({
      ...row,
      medianSeconds: row.medianSeconds === null ? null : Number(row.medianSeconds),
      occupied: Number(row.occupied),
    })),
    total: counted.rows[0]?.total ?? 0,
  }
}

/** Zones to choose from, by title. */
export async function zoneChoices(
  db: Executor,
  sight: AssetSight,
  filter: ZoneFilter,
  limit: number,
): Promise<{ id: number; title: string; accountId: number }[]> {
  const { rows } = await sql<{ id: number; title: string; accountId: number }>`
    select z.id, z.title, z.account_id as "accountId" from twins z where ${visible(sight, filter)}
    order by z.title collate natural_order, z.id limit ${limit}`.execute(db)
  return rows
}

/** A visible zone of an account. */
export async function findZone(
  tx: Executor,
  sight: AssetSight,
  { id, accountId }: { id: number; accountId: number },
): Promise<{ id: number; title: string } | undefined> {
  const { rows } = await sql<{ id: number; title: string }>`
    select z.id, z.title from twins z where z.id = ${id} and ${visible(sight, { accountIds: [accountId] })}
    for key share of z`.execute(tx)
  return rows[0]
}

/** Visible zones of an account by their titles; several may have the same. */
export async function findZonesByTitle(
  tx: Executor,
  sight: AssetSight,
  accountId: number,
  titles: readonly string[],
): Promise<{ id: number; title: string }[]> {
  const { rows } = await sql<{ id: number; title: string }>`
    select z.id, z.title from twins z
    where z.title = any(${[...titles]}::text[]) and ${visible(sight, { accountIds: [accountId] })}`.execute(
    tx,
  )
  return rows
}

/** Polygons of zones within bounds, the largest first, with how many visible assets are in each. */
export async function zonesWithin(
  db: Executor,
  sight: AssetSight,
  filter: ZoneFilter,
  { west, south, east, north }: GeoBounds,
  limit: number,
): Promise<{ id: number; title: string; polygon: GeoPolygon; assets: number }[]> {
  const { rows } = await sql<{ id: number; title: string; polygon: GeoPolygon; assets: number }>`
    select z.id, z.title, z.geo_polygon as polygon,
      (select count(*)::int from assets a join twins w on w.id = a.twin_id
        where a.zone_id = z.id and w.type = 'trackable' and w.scope_id = ${anyOf(sight.read)}) as assets
    from twins z where ${visible(sight, filter)}
      and z.geo_bounds && box(point(${east}::float8, ${north}::float8), point(${west}::float8, ${south}::float8))
    order by area(z.geo_bounds) desc, z.id limit ${limit}`.execute(db)
  return rows
}
