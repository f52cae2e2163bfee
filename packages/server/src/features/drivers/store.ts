import type { JsonValue } from '@leitstand/contract/common'
import type { PredefinedDownlink } from '@leitstand/contract/downlinks'
import type { Driver, DriverSummary, DriverVariable, GoldenPacket } from '@leitstand/contract/drivers'
import type { HealthConfig } from '@leitstand/contract/health'
import { type Calculated, CalculatedList, Parser } from '@leitstand/contract/parsers'
import { parseSearch } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matches, searchedId } from '../../platform/db/textFilter.ts'
import { packetsOf, viewOf } from '../objects/index.ts'
import type { ParserSecret } from './parsers/url/bearer.ts'
import { type DriverViewer, offeredTo, openTo, versionVisibleTo, visibleTo } from './sight.store.ts'

/** Displayed author of delivered drivers. */
export const deliveredBy = 'Leitstand'

export type DriverStanding = 'own' | 'used' | 'other'

/** Relation of a driver to an account: created there, used by its visible devices, or neither. */
function standingIn(accountId: number, deviceScopeIds: readonly number[]): RawBuilder<DriverStanding> {
  return sql<DriverStanding>`case
    when d.account_id = ${accountId} and d.library_key is null then 'own'
    when exists (select from ${viewOf('devices')} u
      where u.driver_id = d.id and u.account_id = ${accountId} and u.scope_id = ${anyOf(deviceScopeIds)}) then 'used'
    else 'other' end`
}

type SummaryRow = Omit<DriverSummary, 'updatedAt'> & { updatedAt: Date }

/** Accounts visible to the caller that have accepted a version other than the published one, with `drivers d`. */
const outdatedAcceptances = (viewer: DriverViewer) => sql`driver_acceptances x
    where x.driver_id = d.id and x.version_number <> d.published_version and ${openTo(viewer)}
      and x.account_id in (select account_id from scopes where id = ${anyOf(viewer.scopeIds)})`

const summaryColumns = (viewer: DriverViewer, countScopes: readonly number[]) => sql`
  d.id, d.account_id as "accountId", a.name as "accountName", d.title, d.description, d.manufacturer, d.model,
  d.visibility, (select v.parser ->> 'kind' from driver_versions v
    where v.driver_id = d.id and v.number = coalesce(d.published_version, (select max(number) from driver_versions where driver_id = d.id))) as "parserKind",
  d.library_key is not null as delivered,
  (d.library_key is not null and exists (select from driver_versions v
    where v.driver_id = d.id and v.number = d.published_version and not v.delivered)) as modified,
  d.published_version as "publishedVersion",
  (select max(v.number) from driver_versions v where v.driver_id = d.id) as "latestVersion",
  (select count(*)::int from ${viewOf('devices')} u
    where u.driver_id = d.id and u.scope_id = ${anyOf(countScopes)}) as "deviceCount",
  (select count(*)::int from ${outdatedAcceptances(viewer)}) as "outdatedAccounts",
  (select f.id from ${viewOf('driverPictures')} f where f.driver_id = d.id) as "pictureId",
  d.updated_at as "updatedAt"`

const toSummary = <T extends SummaryRow>(row: T) => ({ ...row, updatedAt: row.updatedAt.toISOString() })

export interface DriverFilter {
  search?: string | undefined
  accountIds?: readonly number[] | undefined
  manufacturers?: readonly string[] | undefined
  delivered?: boolean | undefined
  /** only those with outdated acceptances */
  outdated?: boolean | undefined
  /** the account whose devices will use them */
  offeredTo?: number | undefined
  orderBy: string
  offset: number
  limit: number
}

const orderColumns: Record<string, RawBuilder<unknown>> = {
  title: sql`title collate natural_order`,
  manufacturer: sql`manufacturer collate natural_order`,
  updatedAt: sql`"updatedAt"`,
  deviceCount: sql`"deviceCount"`,
}

/**
 * One page of drivers. Devices are counted in the scopes where the caller may see devices. With `offeredTo` those nearest
 * to that account come first.
 * `manufacturers` are those of all visible drivers, for the filter.
 */
export async function listDrivers(
  db: Executor,
  viewer: DriverViewer,
  deviceScopeIds: readonly number[],
  filter: DriverFilter,
): Promise<{
  items: (DriverSummary & { standing?: DriverStanding })[]
  total: number
  manufacturers: string[]
}> {
  const conditions = [visibleTo(viewer)]
  if (filter.offeredTo !== undefined) conditions.push(offeredTo(filter.offeredTo))
  const search = parseSearch(filter.search)
  if (search) {
    const found = matches([sql`d.search`], search)
    conditions.push(sql<boolean>`(${found} or d.id = ${searchedId(filter.search)})`)
  }
  if (filter.accountIds) conditions.push(sql<boolean>`d.account_id = ${anyOf(filter.accountIds)}`)
  if (filter.manufacturers)
    conditions.push(sql<boolean>`d.manufacturer = any(${[...filter.manufacturers]}::text[])`)
  if (filter.delivered !== undefined)
    conditions.push(sql<boolean>`(d.library_key is not null) = ${filter.delivered}`)
  if (filter.outdated) conditions.push(sql<boolean>`exists (select from ${outdatedAcceptances(viewer)})`)
  const where = sql.join(conditions, sql` and `)
  const descending = filter.orderBy.startsWith('-')
  const order = orderColumns[descending ? filter.orderBy.slice(1) : filter.orderBy] ?? orderColumns.title
  const direction = descending ? sql`desc` : sql`asc`

  const { offeredTo: accountId } = filter
  const standing =
    accountId === undefined ? sql`` : sql`, ${standingIn(accountId, deviceScopeIds)} as standing`
  const nearest = accountId === undefined ? sql`` : sql`array_position('{own,used,other}'::text[], standing),`

  const counted = await sql<{
    total: number
  }>`select count(*)::int as total from drivers d where ${where}`.execute(db)
  const { rows } = await sql<SummaryRow & { standing?: DriverStanding }>`
    select * from (
      select ${summaryColumns(viewer, deviceScopeIds)}${standing} from drivers d join accounts a on a.id = d.account_id where ${where}
    ) as found
    order by ${nearest} ${order} ${direction}, id ${direction} limit ${filter.limit} offset ${filter.offset}`.execute(
    db,
  )
  const makers = await sql<{ manufacturer: string }>`
    select manufacturer from (select distinct d.manufacturer from drivers d
      where ${visibleTo(viewer)} and d.manufacturer <> '') as found
    order by manufacturer collate natural_order limit 1000`.execute(db)
  return {
    items: rows.map(toSummary),
    total: counted.rows[0]?.total ?? 0,
    manufacturers: makers.rows.map(({ manufacturer }) => manufacturer),
  }
}

/** A driver with one of its versions. */
export interface DriverRow extends Omit<Driver, 'versions' | 'editable' | 'hasParserSecret'> {
  scopeId: number
  libraryKey: string | null
  parserSecret: ParserSecret | null
}

/**
 * A visible driver with the requested version, else the latest.
 * @returns undefined if the driver or the version does not exist
 */
export async function findDriver(
  db: Executor,
  viewer: DriverViewer,
  deviceScopeIds: readonly number[],
  id: number,
  number?: number,
): Promise<DriverRow | undefined> {
  const { rows } = await sql<Omit<DriverRow, 'updatedAt'> & { updatedAt: Date }>`
    select ${summaryColumns(viewer, deviceScopeIds)}, d.scope_id as "scopeId", d.library_key as "libraryKey", d.specs, d.version,
      d.parser_secret as "parserSecret",
      n.number, n.parser, n.script, n.calculated, n.variables, n.golden, n.health, n.downlinks
    from drivers d join accounts a on a.id = d.account_id
    join lateral (
      select * from driver_versions v
      where v.driver_id = d.id and (${number ?? null}::int is null or v.number = ${number ?? null}::int)
        and ${versionVisibleTo(viewer)}
      order by v.number desc limit 1) as n on true
    where d.id = ${id} and ${visibleTo(viewer)}`.execute(db)
  const row = rows[0]
  if (row === undefined) return undefined
  const { parser, calculated } = readParser(row)
  return { ...row, parser, calculated, updatedAt: row.updatedAt.toISOString() }
}

/** Locks a driver until the end of the transaction. */
export async function lockDriver(tx: Executor, id: number): Promise<void> {
  await sql`select from drivers where id = ${id} for update`.execute(tx)
}

/** Visible versions of a driver, newest first, at most 200. */
export async function listVersions(
  db: Executor,
  viewer: DriverViewer,
  driverId: number,
): Promise<Driver['versions']> {
  const { rows } = await sql<
    Omit<Driver['versions'][number], 'createdAt' | 'publishedAt'> & {
      createdAt: Date
      publishedAt: Date | null
    }
  >`
    select v.number, v.note, v.created_by as "createdBy", v.delivered, v.created_at as "createdAt",
      v.published_at as "publishedAt"
    from driver_versions v join drivers d on d.id = v.driver_id
    where v.driver_id = ${driverId} and ${versionVisibleTo(viewer)}
    order by v.number desc limit 200`.execute(db)
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    publishedAt: row.publishedAt?.toISOString() ?? null,
  }))
}

/** Editable fields of a driver outside its versions. */
export interface DriverMeta {
  title: string
  description: string
  manufacturer: string
  model: string
  visibility: Driver['visibility']
  specs: Driver['specs']
}

/** Content of a version. */
export interface VersionContent {
  parser: Parser
  script: string
  calculated: readonly Calculated[]
  variables: readonly DriverVariable[]
  golden: readonly GoldenPacket[]
  health: HealthConfig
  downlinks: readonly PredefinedDownlink[]
}

/** Columns of a driver that are common to all versions. */
export const metaColumns = (meta: DriverMeta) => ({
  title: meta.title,
  description: meta.description,
  manufacturer: meta.manufacturer,
  model: meta.model,
  visibility: meta.visibility,
  specs: jsonb({ ...meta.specs } as Record<string, JsonValue>),
})

/** Inserts a driver without versions; the caller adds one in the same transaction. @returns its id */
export async function insertDriver(
  tx: Executor,
  owner: { accountId: number; scopeId: number; libraryKey: string | null },
  meta: DriverMeta,
  now: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('drivers')
    .values({
      ...metaColumns(meta),
      account_id: owner.accountId,
      scope_id: owner.scopeId,
      library_key: owner.libraryKey,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores the sealed secret of a remote parser; null deletes it. */
export async function setParserSecret(tx: Executor, id: number, secret: ParserSecret | null): Promise<void> {
  await tx
    .updateTable('drivers')
    .set({ parser_secret: secret === null ? null : jsonb({ ...secret }) })
    .where('id', '=', id)
    .execute()
}

/** Updates the common columns and increments the version, so that concurrent edits get a conflict. */
export async function updateDriver(tx: Executor, id: number, meta: DriverMeta, now: Date): Promise<void> {
  await tx
    .updateTable('drivers')
    .set({ ...metaColumns(meta), updated_at: now, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
}

/** Author and time of a version. */
export interface VersionAbout {
  note: string
  createdBy: string
  /** it is delivered with the platform */
  delivered?: boolean
  now: Date
}

/** Adds the next version. @returns its number */
export async function insertVersion(
  tx: Executor,
  driverId: number,
  content: VersionContent,
  about: VersionAbout,
): Promise<number> {
  const number = (await insertVersions(tx, [{ driverId, content }], about)).get(driverId)
  if (number === undefined) throw new Error('a driver version was not stored')
  return number
}

/** Adds the next version of each of several drivers. @returns their numbers by driver */
export async function insertVersions(
  tx: Executor,
  versions: readonly { driverId: number; content: VersionContent }[],
  about: VersionAbout,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ driverId: number; number: number }>`
    insert into driver_versions (driver_id, number, parser, script, calculated, variables, golden, health, downlinks, note,
      created_by, delivered, created_at)
    select n."driverId",
      coalesce((select max(v.number) from driver_versions v where v.driver_id = n."driverId"), 0) + 1,
      n.content->'parser', n.content->>'script', n.content->'calculated', n.content->'variables', n.content->'golden',
      n.content->'health', n.content->'downlinks', ${about.note}, ${about.createdBy},
      ${about.delivered ?? false}, ${about.now}
    from jsonb_to_recordset(${JSON.stringify(versions)}::jsonb) as n("driverId" int, content jsonb)
    returning driver_id as "driverId", number`.execute(tx)
  return new Map(rows.map((row) => [row.driverId, row.number]))
}

/** Publishes a version for live traffic. @returns whether the version exists */
export async function publishVersion(
  tx: Executor,
  driverId: number,
  number: number,
  now: Date,
): Promise<boolean> {
  const version = await tx
    .updateTable('driver_versions')
    .set({ published_at: now })
    .where('driver_id', '=', driverId)
    .where('number', '=', number)
    .returning('number')
    .executeTakeFirst()
  if (!version) return false
  await tx
    .updateTable('drivers')
    .set({ published_version: number, updated_at: now, version: sql<number>`version + 1` })
    .where('id', '=', driverId)
    .execute()
  return true
}

/** Whether a version is delivered with the platform. */
export async function isDelivered(db: Executor, driverId: number, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('driver_versions')
    .select('delivered')
    .where('driver_id', '=', driverId)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.delivered ?? false
}

/** Deletes a driver with its versions. The caller must have checked that it is not in use. */
export async function deleteDriver(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('drivers').where('id', '=', id).execute()
}

/** Maximum number of devices listed as examples. */
const namedDevicesMax = 10

/** Some of the devices in these scopes that use a driver, by title. */
export async function listDevicesOf(
  db: Executor,
  driverId: number,
  scopeIds: readonly number[],
): Promise<{ id: number; title: string }[]> {
  return db
    .selectFrom(viewOf('devices').as('devices'))
    .select(['id', 'title'])
    .where('driver_id', '=', driverId)
    .where('scope_id', '=', anyOf(scopeIds))
    .orderBy('title')
    .orderBy('id')
    .limit(namedDevicesMax)
    .execute()
}

export interface RecentPacketRow {
  packetId: number
  deviceId: number
  deviceTitle: string
  receivedAt: Date
  fPort: number | null
  payload: string
  encoding: 'hex' | 'json'
}

/** Number of most recently seen devices whose packets are read. */
const recentDevicesMax = 20

/** The newest packets of the devices in these scopes that use a driver. */
export async function listRecentPackets(
  db: Executor,
  driverId: number,
  deviceScopeIds: readonly number[],
  limit: number,
): Promise<RecentPacketRow[]> {
  const { rows } = await sql<RecentPacketRow>`
    select p.id as "packetId", u.id as "deviceId", u.title as "deviceTitle", p.received_at as "receivedAt",
      p.f_port as "fPort", p.payload, p.encoding
    from (
      select d.id, d.title from ${viewOf('devices')} d
      where d.driver_id = ${driverId} and d.last_seen is not null and d.scope_id = ${anyOf(deviceScopeIds)}
      order by d.last_seen desc limit ${recentDevicesMax}) as u
    cross join lateral (
      select * from ${packetsOf({ device: sql`u.id`, order: 'desc', limit })} s) as p
    order by p.received_at desc limit ${limit}`.execute(db)
  return rows
}

/** The topmost account with its scope; undefined if there is none yet. */
export async function findRootAccount(
  db: Executor,
): Promise<{ accountId: number; scopeId: number } | undefined> {
  const { rows } = await sql<{ accountId: number; scopeId: number }>`
    select a.id as "accountId", s.id as "scopeId" from accounts a
    join scopes s on s.account_id = a.id and s.twin_id is null
    where a.parent_id is null order by a.id limit 1`.execute(db)
  return rows[0]
}

/** Advisory lock, so that servers starting concurrently do not install drivers twice. */
const installationLock = 7_211_012

/** Waits for another installation; holds the lock until the end of the transaction. */
export async function lockInstallation(tx: Executor): Promise<void> {
  await sql`select pg_advisory_xact_lock(${installationLock})`.execute(tx)
}

/** Parses the database columns of a parser into the types of the contract. */
export function readParser(row: { parser: unknown; calculated: unknown }): {
  parser: Parser
  calculated: Calculated[]
} {
  return { parser: Parser.parse(row.parser), calculated: CalculatedList.parse(row.calculated) }
}

/** Deletes the drivers of an account. */
export async function deleteDriversOf(tx: Executor, accountId: number): Promise<void> {
  await tx.deleteFrom('drivers').where('account_id', '=', accountId).execute()
}
