import type { Asset } from '@leitstand/contract/assets'
import type { GeoBounds } from '@leitstand/contract/geo'
import type { Search } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import { clusterIdOf, type Grid } from '../../platform/geo/grid.ts'
import { type ExtentRow, extentOf, positionsIn } from '../../platform/geo/positions.ts'
import type { AssetSight } from './policy.ts'

/** Which assets are listed, among those that are visible. */
export interface AssetFilter {
  search?: Search | null | undefined
  accountIds?: readonly number[] | undefined
  ids?: readonly number[] | undefined
  categories?: readonly string[] | undefined
  zoneIds?: readonly number[] | undefined
  homeZoneIds?: readonly number[] | undefined
  places?: readonly Asset['place'][] | undefined
  stranger?: boolean | undefined
  /** lent, and to be back before this day (`2026-11-20`), or the contrary */
  overdue?: { is: boolean; today: string } | undefined
  tracked?: boolean | undefined
  /** only favourites of this user */
  favoritesOf?: number | null | undefined
}

type Column = 'title' | 'category' | 'inventoryNumber' | 'zone' | 'zoneSince' | 'seenAt' | 'dueAt'
export type AssetOrder = Column | `-${Column}`

const columns: Readonly<Record<Column, string>> = {
  title: 'w.title collate natural_order',
  category: `coalesce(a.category, '') collate natural_order`,
  inventoryNumber: `coalesce(a.inventory_number, '') collate natural_order`,
  zone: 'z.title collate natural_order',
  zoneSince: 'a.zone_since',
  seenAt: 'a.seen_at',
  dueAt: 'l.due_at',
}

function orderOf(by: AssetOrder): RawBuilder<unknown> {
  const isDown = by.startsWith('-')
  const column = columns[by.replace('-', '') as Column]
  return sql.raw(`${column} ${isDown ? 'desc' : ''} nulls last, w.id ${isDown ? 'desc' : ''}`)
}

/** Twins `w` that are assets, with what is known of them: `a`, the loan `l`, the tracker `k`; zones the caller sees: `h` home, `z` now. */
const tables = (sight: AssetSight) => sql`twins w
  left join assets a on a.twin_id = w.id
  left join asset_loans l on l.twin_id = w.id and l.returned_at is null
  left join asset_trackers k on k.twin_id = w.id and k.unbound_at is null
  left join twins h on h.id = a.home_zone_id and h.scope_id = ${anyOf(sight.read)}
  left join twins z on z.id = a.zone_id and z.scope_id = ${anyOf(sight.read)}`

const place = sql<
  Asset['place']
>`case when l.id is not null then 'lent' when a.home_zone_id is null then 'loose'
  when a.zone_id = a.home_zone_id then 'home' else 'away' end`

const { within, columnOf, rowOf, extentColumns } = positionsIn('w')

/** Conditions on `tables`. */
function conditions(sight: AssetSight, filter: AssetFilter): RawBuilder<unknown> {
  const { search, accountIds, categories, zoneIds, homeZoneIds, places, stranger, overdue, tracked } = filter
  const { favoritesOf } = filter
  const all = [sql`w.type = 'trackable' and w.category = 'digitalTwin' and w.scope_id = ${anyOf(sight.read)}`]
  if (search) all.push(matches([sql`w.search`, sql`coalesce(a.search, '')`], search))
  if (filter.ids) all.push(sql`w.id = ${anyOf(filter.ids)}`)
  if (accountIds) all.push(sql`w.account_id = ${anyOf(accountIds)}`)
  if (categories) all.push(sql`coalesce(a.category, '') = any(${[...categories]}::text[])`)
  if (zoneIds) all.push(sql`z.id = ${anyOf(zoneIds)}`)
  if (homeZoneIds) all.push(sql`h.id = ${anyOf(homeZoneIds)}`)
  if (places) all.push(sql`${place} = any(${[...places]}::text[])`)
  if (stranger !== undefined) all.push(sql`(${isStranger}) = ${stranger}`)
  if (overdue) all.push(sql`coalesce(l.due_at < ${overdue.today}::date, false) = ${overdue.is}`)
  if (tracked !== undefined) all.push(sql`(k.id is not null) = ${tracked}`)
  if (favoritesOf !== undefined)
    all.push(sql`w.id in (select object_id from favorites where user_id = ${favoritesOf} and type = 'asset')`)
  return sql.join(all, sql` and `)
}

/** In a zone, and belongs to another one. */
const isStranger = sql`a.zone_id is not null and a.home_zone_id is not null and a.zone_id <> a.home_zone_id`

interface AssetRow {
  id: number
  version: number | null
  title: string
  icon: string | null
  account_id: number
  account_name: string
  scope_id: number
  category: string | null
  inventory_number: string | null
  home_id: number | null
  home_title: string | null
  zone_id: number | null
  zone_title: string | null
  zone_since: Date | null
  seen_at: Date | null
  latitude: number | null
  longitude: number | null
  place: Asset['place']
  tracker_id: number | null
  device_id: number | null
  device_title: string
  device_scope_id: number | null
  heard_at: Date | null
  bound_at: Date
  borrower: string | null
  lent_at: Date
  due_at: string | null
}

const fields = (
  sight: AssetSight,
) => sql`w.id, a.version, w.title, w.icon, w.account_id, o.name as account_name, w.scope_id,
  a.category, a.inventory_number, h.id as home_id, h.title as home_title, z.id as zone_id, z.title as zone_title,
  case when a.zone_id is null or z.id is not null then a.zone_since end as zone_since, a.seen_at,
  w.latitude, w.longitude, ${place} as place, k.id as tracker_id, d.id as device_id, k.device_title,
  d.scope_id as device_scope_id,
  (select live.last_seen from device_live live where live.twin_id = d.id) as heard_at, k.bound_at,
  l.borrower, l.lent_at, l.due_at
  from ${tables(sight)} join accounts o on o.id = w.account_id left join twins d on d.id = k.device_id`

function toAsset(row: AssetRow, sight: AssetSight): Asset {
  const isDeviceSeen = row.device_scope_id !== null && sight.devices.includes(row.device_scope_id)
  return {
    id: row.id,
    version: row.version ?? 1,
    title: row.title,
    icon: row.icon ?? '',
    accountId: row.account_id,
    accountName: row.account_name,
    category: row.category ?? '',
    inventoryNumber: row.inventory_number ?? '',
    homeZone: row.home_id === null ? null : { id: row.home_id, title: row.home_title ?? '' },
    zone: row.zone_id === null ? null : { id: row.zone_id, title: row.zone_title ?? '' },
    zoneSince: row.zone_since?.toISOString() ?? null,
    seenAt: row.seen_at?.toISOString() ?? null,
    position:
      row.latitude === null || row.longitude === null
        ? null
        : { latitude: row.latitude, longitude: row.longitude },
    place: row.place,
    tracker:
      row.tracker_id === null
        ? null
        : {
            deviceId: isDeviceSeen ? row.device_id : null,
            title: isDeviceSeen ? row.device_title : null,
            since: row.bound_at.toISOString(),
            heardAt: row.heard_at?.toISOString() ?? null,
          },
    loan:
      row.borrower === null
        ? null
        : { borrower: row.borrower, since: row.lent_at.toISOString(), dueAt: row.due_at },
    editable: sight.manage.includes(row.scope_id),
  }
}

/** One page of the visible assets. */
export async function listAssets(
  db: Executor,
  sight: AssetSight,
  filter: AssetFilter,
  page: { orderBy: AssetOrder; offset: number; limit: number; within?: GeoBounds },
): Promise<Asset[]> {
  const { rows } = await sql<AssetRow>`
    select ${fields(sight)} where ${conditions(sight, filter)} and ${page.within ? within(page.within) : sql`true`}
    order by ${orderOf(page.orderBy)} offset ${page.offset} limit ${page.limit}`.execute(db)
  return rows.map((row) => toAsset(row, sight))
}

/** @param bounds only those in them */
export async function countAssets(
  db: Executor,
  sight: AssetSight,
  filter: AssetFilter,
  bounds?: GeoBounds,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${tables(sight)}
    where ${conditions(sight, filter)} and ${bounds ? within(bounds) : sql`true`}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function findAsset(db: Executor, sight: AssetSight, id: number): Promise<Asset | undefined> {
  const { rows } = await sql<AssetRow>`
    select ${fields(sight)} where w.id = ${id} and ${conditions(sight, {})}`.execute(db)
  return rows[0] && toAsset(rows[0], sight)
}

/** Where all matching assets are. */
export async function assetExtent(
  db: Executor,
  sight: AssetSight,
  filter: AssetFilter,
): Promise<GeoBounds | null> {
  const { rows } = await sql<ExtentRow>`
    select ${extentColumns} from ${tables(sight)} where ${conditions(sight, filter)}`.execute(db)
  return extentOf(rows[0]).bounds
}

export interface AssetGroup {
  id: string
  count: number
  /** the middle of its members */
  latitude: number
  longitude: number
  bounds: GeoBounds
  /** one of its members */
  oneId: number
}

/** Assets within bounds by square of the map, the largest groups first. */
export async function groupAssets(
  db: Executor,
  sight: AssetSight,
  filter: AssetFilter,
  { grid, bounds, limit }: { grid: Grid; bounds: GeoBounds; limit: number },
): Promise<AssetGroup[]> {
  const { rows } = await sql<{
    column: number
    row: number
    count: number
    latitude: number
    longitude: number
    oneId: number
    west: number
    south: number
    east: number
    north: number
  }>`
    select ${columnOf(grid)} as "column", ${rowOf(grid)} as row, count(*)::int as count,
      avg(w.latitude) as latitude, avg(w.longitude) as longitude, min(w.id) as "oneId",
      min(w.longitude) as west, min(w.latitude) as south, max(w.longitude) as east, max(w.latitude) as north
    from ${tables(sight)} where ${conditions(sight, filter)} and ${within(bounds)}
    group by 1, 2 order by count(*) desc, 1, 2 limit ${limit}`.execute(db)
  return rows.map(({ column, row, west, south, east, north, ...group }) => ({
    ...group,
    id: clusterIdOf(grid, { column, row }),
    bounds: { west, south, east, north },
  }))
}

/** An asset as a change finds it, locked until the transaction ends. */
export interface LockedAsset {
  id: number
  title: string
  accountId: number
  scopeId: number
  version: number
  category: string
  inventoryNumber: string
  homeZoneId: number | null
}

/** Locks a visible asset; what is known of it is stored from then on. */
export async function lockAsset(
  tx: Executor,
  sight: AssetSight,
  id: number,
): Promise<LockedAsset | undefined> {
  await sql`
    insert into assets (twin_id, account_id)
    select id, account_id from twins
    where id = ${id} and type = 'trackable' and category = 'digitalTwin' and scope_id = ${anyOf(sight.read)}
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<LockedAsset>`
    select w.id, w.title, w.account_id as "accountId", w.scope_id as "scopeId", a.version, a.category,
      a.inventory_number as "inventoryNumber", a.home_zone_id as "homeZoneId"
    from assets a join twins w on w.id = a.twin_id
    where a.twin_id = ${id} and w.type = 'trackable' and w.scope_id = ${anyOf(sight.read)}
    for update of a`.execute(tx)
  return rows[0]
}

export async function writeAsset(
  tx: Executor,
  id: number,
  values: { category: string; inventoryNumber: string; homeZoneId: number | null },
): Promise<void> {
  await tx
    .updateTable('assets')
    .set({
      category: values.category,
      inventory_number: values.inventoryNumber,
      home_zone_id: values.homeZoneId,
      version: sql`version + 1`,
    })
    .where('twin_id', '=', id)
    .execute()
}

export async function insertAssets(
  tx: Executor,
  assets: readonly {
    twinId: number
    accountId: number
    category: string
    inventoryNumber: string
    homeZoneId: number | null
  }[],
): Promise<void> {
  await tx
    .insertInto('assets')
    .values(
      assets.map((each) => ({
        twin_id: each.twinId,
        account_id: each.accountId,
        category: each.category,
        inventory_number: each.inventoryNumber,
        home_zone_id: each.homeZoneId,
      })),
    )
    .execute()
}

/** Which of these inventory numbers an account has. */
export async function takenNumbers(
  tx: Executor,
  accountId: number,
  numbers: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ number: string }>`
    select inventory_number as number from assets
    where account_id = ${accountId} and inventory_number = any(${[...numbers]}::text[]) and inventory_number <> ''`.execute(
    tx,
  )
  return new Set(rows.map(({ number }) => number))
}

/** Categories in use, by name. */
export async function listCategories(
  db: Executor,
  sight: AssetSight,
  filter: Pick<AssetFilter, 'accountIds'>,
  limit: number,
): Promise<{ name: string; assets: number }[]> {
  const { rows } = await sql<{ name: string; assets: number }>`
    select a.category as name, count(*)::int as assets from ${tables(sight)}
    where ${conditions(sight, filter)} and a.category <> ''
    group by a.category order by a.category collate natural_order limit ${limit}`.execute(db)
  return rows
}
