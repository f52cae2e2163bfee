import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { likePattern, matches, parseTextFilter } from '../../../platform/db/textFilter.ts'
import {
  all,
  type Condition,
  inPageOrder,
  inScopes,
  ints,
  type ObjectFilter,
  objectConditions,
  orderOf,
  type Stretch,
  stretchOf,
  texts,
  titleOrder,
} from '../../twins/index.ts'
import { type DeviceSearch, searchDevices } from './search.ts'

export interface DeviceFilter extends ObjectFilter {
  /** title, external id, id; of several, all or any must fit */
  search?: { items: readonly string[]; operator: 'and' | 'or' } | undefined
  groups?: readonly string[] | undefined
  /** kinds of connectors */
  bridgeTypes?: readonly string[] | undefined
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

export interface Selection {
  readonly where: Condition
  /** the part of it that speaks of `device_live l` */
  readonly live: Condition
  readonly joins: { readonly device: boolean; readonly live: boolean }
}

/** What a filter means for the database. */
export async function select(
  db: Executor,
  scopeIds: readonly number[],
  filter: DeviceFilter,
): Promise<Selection> {
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
  if (filter.bridgeTypes) {
    // Connectors are few: their ids are found first, so that devices are compared with numbers.
    device.push(
      sql<boolean>`d.connector_id in (select c.id from connectors c where c.kind = any(${texts(filter.bridgeTypes)}))`,
    )
  }
  if (filter.groups) device.push(sql<boolean>`d.groups && ${texts(filter.groups)}`)
  const search = await searchAll(db, filter.search, scopeIds)
  if (search) (search.device ? device : rest).push(search.where)
  const reference = referenceCondition(filter.referenceId)
  if (reference) rest.push(reference)
  return {
    where: all([...rest, ...device, ...live]),
    live: all(live),
    joins: { device: device.length > 0, live: live.length > 0 },
  }
}

/** The conditions of all texts together. */
async function searchAll(
  db: Executor,
  search: DeviceFilter['search'],
  scopeIds: readonly number[],
): Promise<DeviceSearch | null> {
  const found: DeviceSearch[] = []
  for (const item of search?.items ?? []) {
    const each = await searchDevices(db, item, scopeIds)
    if (each) found.push(each)
  }
  if (found.length === 0) return null
  const word = search?.operator === 'or' ? sql` or ` : sql` and `
  return {
    where: sql<boolean>`(${sql.join(
      found.map(({ where }) => where),
      word,
    )})`,
    device: found.some(({ device }) => device),
  }
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

/** The tables a selection speaks of. */
export const joined = ({ device, live }: Selection['joins']) => sql`
  ${device ? sql`join virtual_devices d on d.twin_id = t.id` : sql``}
  ${live ? sql`join device_live l on l.twin_id = t.id` : sql``}`

/** Ids of one page of devices and how many match; without scopes nothing matches. */
export async function listDeviceIds(
  db: Executor,
  scopeIds: readonly number[],
  filter: DeviceFilter,
  page: { offset: number; limit: number; orderBy: string },
): Promise<{ ids: number[]; total: number }> {
  const selection = await select(db, scopeIds, filter)
  const counted = await sql<{ total: number }>`
    select count(*) as total from twins t ${joined(selection.joins)} where ${selection.where}`.execute(db)
  const total = counted.rows[0]?.total ?? 0
  if (total <= page.offset) return { ids: [], total }
  const stretch = stretchOf(page, total)
  const rows =
    (await readAmongSeen(db, selection, page.orderBy, stretch, total)) ??
    (await readStretch(db, selection, page.orderBy, stretch))
  return { ids: inPageOrder(rows, stretch), total }
}

async function readStretch(
  db: Executor,
  { where, joins }: Selection,
  orderBy: string,
  { backwards, offset, limit }: Stretch,
): Promise<number[]> {
  const column = orderBy.replace('-', '')
  const order = {
    device: joins.device || column === 'externalId' || column === 'operationalStatus',
    live: joins.live || column === 'lastSeen' || column === 'health',
  }
  const { rows } = await sql<{ id: number }>`
    select t.id from twins t ${joined(order)} where ${where}
    order by ${orderOf(orderColumns, orderBy, backwards)} limit ${limit} offset ${offset}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Fewer matching devices than this are sorted as they are. */
const amongSeenFrom = 10_000
const amongSeenTo = 2_000

/**
 * The time a device was last seen has no index, because it changes with every packet. A page near either end of the
 * order is looked for among the first few hundred devices of all: finding those is one pass without a join.
 * @returns null when there is nothing to gain, or the page is not among them
 */
async function readAmongSeen(
  db: Executor,
  { where, live, joins }: Selection,
  orderBy: string,
  { backwards, offset, limit }: Stretch,
  total: number,
): Promise<number[] | null> {
  const isWorth = total >= amongSeenFrom && offset + limit <= amongSeenTo
  if (orderBy.replace('-', '') !== 'lastSeen' || !isWorth) return null
  const order = orderOf(orderColumns, orderBy, backwards)
  const candidates = 4 * (offset + limit) + 500
  const { rows } = await sql<{ id: number }>`
    with l as materialized (
      select l.twin_id, l.last_seen, l.health
      from device_live l cross join lateral (select l.twin_id as id) as t where ${live}
      order by ${order} limit ${candidates})
    select t.id from l join twins t on t.id = l.twin_id ${joined({ ...joins, live: false })} where ${where}
    order by ${order} limit ${limit} offset ${offset}`.execute(db)
  return rows.length < limit ? null : rows.map(({ id }) => id)
}
