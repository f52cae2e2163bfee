import type { VirtualDeviceSummary } from '@leitstand/contract/virtualdevices'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { likePattern, matches, parseTextFilter, trigramLengthMin } from '../../../platform/db/textFilter.ts'
import {
  all,
  type Condition,
  idOf,
  inScopes,
  ints,
  type ObjectFilter,
  objectConditions,
  orderOf,
  titleOrder,
} from '../../twins/index.ts'

export interface DeviceFilter extends ObjectFilter {
  /** title, external id, id */
  search?: string | undefined
  connectorIds?: readonly number[] | undefined
  driverIds?: readonly number[] | undefined
  operationalStatus?: readonly number[] | undefined
  health?: readonly number[] | undefined
  /** last seen before this moment, or never */
  lastSeenBefore?: Date | undefined
  /** `name`, `value` or `name=value` of a reference id */
  referenceId?: string | undefined
}

/** Columns that live in `virtual_devices d` or `device_live l`; the tables are only joined when they are needed. */
const orderColumns = {
  title: { column: titleOrder },
  createdAt: { column: sql`t.created_at` },
  updatedAt: { column: sql`t.updated_at` },
  id: { column: sql`t.id` },
  externalId: { column: sql`d.external_id` },
  operationalStatus: { column: sql`d.operational_status` },
  lastSeen: { column: sql`l.last_seen`, nullable: true },
  health: { column: sql`l.health` },
}

interface Selection {
  where: Condition
  joins: { device: boolean; live: boolean }
}

function select(scopeIds: readonly number[], filter: DeviceFilter): Selection {
  const device: Condition[] = []
  const live: Condition[] = []
  const rest = [...objectConditions('virtualDevice', filter), inScopes(scopeIds)]
  if (filter.connectorIds) device.push(sql<boolean>`d.connector_id = any(${ints(filter.connectorIds)})`)
  if (filter.driverIds) device.push(sql<boolean>`d.driver_id = any(${ints(filter.driverIds)})`)
  if (filter.operationalStatus) {
    device.push(sql<boolean>`d.operational_status = any(${ints(filter.operationalStatus)})`)
  }
  if (filter.health) live.push(sql<boolean>`l.health = any(${ints(filter.health)})`)
  if (filter.lastSeenBefore) {
    live.push(sql<boolean>`(l.last_seen is null or l.last_seen < ${filter.lastSeenBefore})`)
  }
  const search = parseTextFilter(filter.search)
  if (search)
    rest.push(search.text.length < trigramLengthMin ? shortSearch(search) : indexedSearch(search, scopeIds))
  const reference = referenceCondition(filter.referenceId)
  if (reference) rest.push(reference)
  return {
    where: all([...rest, ...device, ...live]),
    joins: { device: device.length > 0, live: live.length > 0 },
  }
}

type Text = NonNullable<ReturnType<typeof parseTextFilter>>

/**
 * Too short for the trigram indexes: one look at every title. External ids are only compared as a whole then; to look
 * into 100 000 of them for one letter takes longer than people wait, and finds all of them.
 */
function shortSearch(text: Text): Condition {
  const whole = likePattern({ ...text, exact: true })
  return sql<boolean>`(${matches(sql`t.title`, text)} or t.id = ${idOf(text.text)}
    or t.id in (select f.twin_id from virtual_devices f where f.external_id ilike ${whole}))`
}

/** External ids are also found as people write EUIs, with separators. */
function indexedSearch(text: Text, scopeIds: readonly number[]): Condition {
  const compact = text.text.replace(/[\s:.-]/g, '')
  const external = /^[0-9a-f]{4,16}$/i.test(compact) ? { ...text, text: compact } : text
  return sql<boolean>`t.id in (
    select f.id from twins f
    where f.category = 'virtualDevice' and f.scope_id = any(${ints(scopeIds)}) and ${matches(sql`f.title`, text)}
    union all
    select f.twin_id from virtual_devices f where ${matches(sql`f.external_id`, text)} or ${matches(sql`f.external_id`, external)}
    union all
    select ${idOf(text.text)}::int)`
}

function referenceCondition(typed: string | undefined): Condition | null {
  const at = typed?.indexOf('=') ?? -1
  const name = at < 0 ? null : parseTextFilter(typed?.slice(0, at))
  const value = parseTextFilter(at < 0 ? typed : typed?.slice(at + 1))
  const conditions: Condition[] = []
  if (name) conditions.push(sql<boolean>`r.name ilike ${likePattern({ ...name, exact: true })}`)
  if (value && at < 0)
    conditions.push(sql<boolean>`(${matches(sql`r.value`, value)} or ${matches(sql`r.name`, value)})`)
  else if (value) conditions.push(matches(sql`r.value`, value))
  if (conditions.length === 0) return null
  return sql<boolean>`t.id in (select r.twin_id from twin_references r where ${all(conditions)})`
}

const tables = ({ device, live }: Selection['joins']) => sql`twins t
  ${device ? sql`join virtual_devices d on d.twin_id = t.id` : sql``}
  ${live ? sql`join device_live l on l.twin_id = t.id` : sql``}`

/** Ids of one page of devices and how many match; without scopes nothing matches. */
export async function listDeviceIds(
  db: Executor,
  scopeIds: readonly number[],
  filter: DeviceFilter,
  { offset, limit, orderBy }: { offset: number; limit: number; orderBy: string },
): Promise<{ ids: number[]; total: number }> {
  const { where, joins } = select(scopeIds, filter)
  const counted = await sql<{ total: number }>`
    select count(*) as total from ${tables(joins)} where ${where}`.execute(db)
  const total = counted.rows[0]?.total ?? 0
  if (total <= offset) return { ids: [], total }
  const column = orderBy.replace('-', '')
  const order = {
    device: joins.device || column === 'externalId' || column === 'operationalStatus',
    live: joins.live || column === 'lastSeen' || column === 'health',
  }
  const page = await sql<{ id: number }>`
    select t.id from ${tables(order)} where ${where}
    order by ${orderOf(orderColumns, orderBy)} limit ${limit} offset ${offset}`.execute(db)
  return { ids: page.rows.map(({ id }) => id), total }
}

type SummaryRow = Omit<VirtualDeviceSummary, 'lastSeen' | 'createdAt' | 'updatedAt'> & {
  lastSeen: Date | null
  createdAt: Date
  updatedAt: Date
}

/**
 * Loads devices for lists, in the order of the ids; those outside the scopes are missing.
 * @param twinScopeIds where the caller may see twins: a parent elsewhere is left out
 */
export async function loadDeviceSummaries(
  db: Executor,
  scopeIds: readonly number[],
  twinScopeIds: readonly number[],
  ids: readonly number[],
): Promise<VirtualDeviceSummary[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<SummaryRow>`
    select t.id, t.title, t.icon, t.account_id as "accountId", a.name as "accountName", t.scope_id as "scopeId",
      p.id as "parentId", p.title as "parentTitle", d.connector_id as "connectorId", c.name as "connectorName",
      c.kind as "connectorKind", d.external_id as "externalId", d.driver_id as "driverId", v.title as "driverTitle",
      d.operational_status as "operationalStatus", l.health, l.last_seen as "lastSeen", t.tags, t.zones, t.latitude,
      t.longitude, t.disabled, t.created_at as "createdAt", t.updated_at as "updatedAt"
    from unnest(${ints(ids)}) with ordinality as wanted (id, place)
    join twins t on t.id = wanted.id
    join virtual_devices d on d.twin_id = t.id
    join device_live l on l.twin_id = t.id
    join accounts a on a.id = t.account_id
    join connectors c on c.id = d.connector_id
    left join drivers v on v.id = d.driver_id
    left join twins p on p.id = t.parent_id and p.scope_id = any(${ints(twinScopeIds)})
    where ${inScopes(scopeIds)}
    order by wanted.place`.execute(db)
  return rows.map((row) => ({
    ...row,
    lastSeen: row.lastSeen?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }))
}

/** Counts for the header of the list. */
export async function countDevices(
  db: Executor,
  scopeIds: readonly number[],
  accountIds: readonly number[] | undefined,
): Promise<{
  total: number
  neverSeen: number
  byHealth: { health: number; count: number }[]
  byConnector: { connectorId: number; name: string; count: number }[]
}> {
  const where = all([...objectConditions('virtualDevice', { accountIds }), inScopes(scopeIds)])
  const health = sql<{ health: number; count: number; never: number }>`
    select l.health, count(*) as count, count(*) filter (where l.last_seen is null) as never
    from twins t join device_live l on l.twin_id = t.id where ${where}
    group by l.health order by l.health`.execute(db)
  const connectors = sql<{ connectorId: number; name: string; count: number }>`
    select c.id as "connectorId", c.name, n.count from (
      select d.connector_id, count(*) as count from twins t join virtual_devices d on d.twin_id = t.id
      where ${where} group by d.connector_id) as n
    join connectors c on c.id = n.connector_id
    order by n.count desc, c.name limit 1000`.execute(db)
  const [levels, networks] = await Promise.all([health, connectors])
  return {
    total: levels.rows.reduce((sum, { count }) => sum + count, 0),
    neverSeen: levels.rows.reduce((sum, { never }) => sum + never, 0),
    byHealth: levels.rows.map(({ health: level, count }) => ({ health: level, count })),
    byConnector: networks.rows,
  }
}
