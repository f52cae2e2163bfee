import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { matchesTexts } from '../../../platform/db/textFilter.ts'
import { viewOf } from '../../objects/index.ts'
import {
  all,
  type Condition,
  filterConditions,
  inPageOrder,
  ints,
  type ObjectFilter,
  orderOf,
  type Stretch,
  stretchOf,
  texts,
  titleOrder,
} from '../../twins/index.ts'
import { searchDevices } from './search.ts'
import { type Held, partsOf, type Selection, type Table } from './tables.ts'

export interface DeviceFilter extends ObjectFilter {
  /** matches title, external id or id; with several items, all or any must match */
  search?: { items: readonly string[]; operator: 'and' | 'or' } | undefined
  /** text that devices must have besides `search` */
  within?: string | undefined
  groups?: readonly string[] | undefined
  /** kinds of connectors */
  bridgeTypes?: readonly string[] | undefined
  connectorIds?: readonly number[] | undefined
  driverIds?: readonly number[] | undefined
  templateIds?: readonly number[] | undefined
  operationalStatus?: readonly number[] | undefined
  health?: readonly number[] | undefined
  /** of problems that still exist */
  healthCategories?: readonly string[] | undefined
  /** last seen before this time, or never */
  lastSeenBefore?: Date | undefined
  /** `name`, `value` or `name=value` of a reference id */
  referenceId?: string | undefined
}

/** Sortable columns and their tables. */
const orderColumns = {
  title: { of: 'twin', column: titleOrder },
  createdAt: { of: 'twin', column: sql`t.created_at` },
  updatedAt: { of: 'twin', column: sql`t.updated_at` },
  id: { of: 'twin', column: sql`t.id` },
  externalId: { of: 'device', column: sql`d.external_id` },
  operationalStatus: { of: 'device', column: sql`d.operational_status` },
  lastSeen: { of: 'live', column: sql`l.last_seen`, nullable: true },
  health: { of: 'live', column: sql`l.health` },
} as const

/**
 * The devices of a filter as parts of a query, for later features: `from` has `twins t`, `virtual_devices d` and
 * `device_live l`, as far as they are asked for.
 */
export async function devicesIn(
  db: Executor,
  scopeIds: readonly number[],
  filter: DeviceFilter,
  asked: readonly Table[],
) {
  return partsOf(await select(db, scopeIds, filter), asked)
}

/** Builds a selection from a filter. */
export async function select(
  db: Executor,
  scopeIds: readonly number[],
  { accountIds, ...filter }: DeviceFilter,
): Promise<Selection> {
  const held: Held[] = []
  const hold = (table: Table, where: Condition) => held.push({ where, of: [table] })
  for (const condition of filterConditions('virtualDevice', filter)) hold('twin', condition)
  if (filter.connectorIds) hold('device', sql<boolean>`d.connector_id = any(${ints(filter.connectorIds)})`)
  if (filter.driverIds) hold('device', sql<boolean>`d.driver_id = any(${ints(filter.driverIds)})`)
  if (filter.templateIds) hold('device', sql<boolean>`d.template_id = any(${ints(filter.templateIds)})`)
  if (filter.operationalStatus)
    hold('device', sql<boolean>`d.operational_status = any(${ints(filter.operationalStatus)})`)
  if (filter.health) hold('live', sql<boolean>`l.health = any(${ints(filter.health)})`)
  if (filter.healthCategories) {
    hold(
      'live',
      sql<boolean>`l.twin_id in (select p.device_id from ${viewOf('healthProblems')} p where p.category = any(${texts(filter.healthCategories)}))`,
    )
  }
  if (filter.lastSeenBefore)
    hold('live', sql<boolean>`(l.last_seen is null or l.last_seen < ${filter.lastSeenBefore})`)
  if (filter.bridgeTypes) {
    // There are few connectors: find their ids first, so that devices are compared by number.
    hold(
      'device',
      sql<boolean>`d.connector_id in (select c.id from ${viewOf('connectors')} c where c.kind = any(${texts(filter.bridgeTypes)}))`,
    )
  }
  if (filter.groups) hold('device', sql<boolean>`d.groups && ${texts(filter.groups)}`)
  const search = await searchAll(db, filter.search)
  if (search) held.push(search)
  const within = filter.within === undefined ? null : await searchDevices(db, filter.within)
  if (within) held.push(within)
  const reference = referenceCondition(filter.referenceId)
  if (reference) hold('twin', reference)
  return { scopeIds, accountIds, held }
}

/** The combined conditions of all search items. */
async function searchAll(db: Executor, search: DeviceFilter['search']): Promise<Held | null> {
  const found: Held[] = []
  for (const item of search?.items ?? []) {
    const each = await searchDevices(db, item)
    if (each) found.push(each)
  }
  if (found.length === 0) return null
  const word = search?.operator === 'or' ? sql` or ` : sql` and `
  return {
    where: sql<boolean>`(${sql.join(
      found.map(({ where }) => where),
      word,
    )})`,
    of: found.flatMap((each) => each.of),
  }
}

function referenceCondition(typed: string | undefined): Condition | null {
  const at = typed?.indexOf('=') ?? -1
  // A name before `=` is meant whole.
  const name =
    at < 0
      ? null
      : parseSearch(
          `"${typed
            ?.slice(0, at)
            .trim()
            .replace(/^"(.*)"$/s, '$1')}"`,
        )
  const value = parseSearch(at < 0 ? typed : typed?.slice(at + 1))
  const conditions: Condition[] = []
  if (name) conditions.push(matchesTexts([sql`r.name`], name))
  if (value) conditions.push(matchesTexts(at < 0 ? [sql`r.value`, sql`r.name`] : [sql`r.value`], value))
  if (conditions.length === 0) return null
  return sql<boolean>`t.id in (select r.twin_id from twin_references r where ${all(conditions)})`
}

/** Number of matching devices per linked device template, largest first. */
export async function countByTemplate(
  db: Executor,
  scopeIds: readonly number[],
  filter: DeviceFilter,
): Promise<{ templateId: number; devices: number }[]> {
  const { from, where } = partsOf(await select(db, scopeIds, filter), ['device'])
  const { rows } = await sql<{ templateId: number; devices: number }>`
    select d.template_id as "templateId", count(*)::int as devices from ${from}
    where ${where} and d.template_id is not null
    group by d.template_id order by devices desc, d.template_id limit 1000`.execute(db)
  return rows
}

/** Ids of one page of devices and the total; without scopes nothing matches. */
export async function listDeviceIds(
  db: Executor,
  scopeIds: readonly number[],
  filter: DeviceFilter,
  page: { offset: number; limit: number; orderBy: string },
): Promise<{ ids: number[]; total: number }> {
  const selection = await select(db, scopeIds, filter)
  const total = await countSelection(db, selection)
  if (total <= page.offset) return { ids: [], total }
  const stretch = stretchOf(page, total)
  const rows =
    (await readAmongSeen(db, selection, page.orderBy, stretch, total)) ??
    (await readStretch(db, selection, page.orderBy, stretch))
  return { ids: inPageOrder(rows, stretch), total }
}

async function countSelection(db: Executor, selection: Selection): Promise<number> {
  const { from, where } = partsOf(selection)
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${from} where ${where}`.execute(
    db,
  )
  return rows[0]?.total ?? 0
}

async function readStretch(
  db: Executor,
  selection: Selection,
  orderBy: string,
  { backwards, offset, limit }: Stretch,
): Promise<number[]> {
  const { of } = orderColumns[orderBy.replace('-', '') as keyof typeof orderColumns]
  const { from, where } = partsOf(selection, ['twin', of])
  const { rows } = await sql<{ id: number }>`
    select t.id from ${from} where ${where}
    order by ${orderOf(orderColumns, orderBy, backwards)} limit ${limit} offset ${offset}`.execute(db)
  return rows.map(({ id }) => id)
}

/** With fewer matching devices than this, all are sorted. */
const amongSeenFrom = 10_000
const amongSeenTo = 2_000

/**
 * The last seen time has no index, because it changes with every packet. For pages near either end of the
 * order, this selects a few hundred candidates first, in one pass without a join.
 * @returns null if this does not pay off or the candidates do not fill the page
 */
async function readAmongSeen(
  db: Executor,
  selection: Selection,
  orderBy: string,
  { backwards, offset, limit }: Stretch,
  total: number,
): Promise<number[] | null> {
  const isWorth = total >= amongSeenFrom && offset + limit <= amongSeenTo
  if (orderBy.replace('-', '') !== 'lastSeen' || !isWorth) return null
  const order = orderOf(orderColumns, orderBy, backwards)
  const candidates = 4 * (offset + limit) + 500
  const ofLive = selection.held.filter(({ of }) => of.every((table) => table === 'live'))
  const seen = partsOf({ ...selection, held: ofLive }, ['live'])
  const rest = partsOf({ ...selection, held: selection.held.filter((each) => !ofLive.includes(each)) }, [
    'twin',
    'live',
  ])
  const { rows } = await sql<{ id: number }>`
    with seen as materialized (
      select l.twin_id from ${seen.from} cross join lateral (select l.twin_id as id) as t where ${seen.where}
      order by ${order} limit ${candidates})
    select t.id from ${rest.from} join seen on seen.twin_id = t.id where ${rest.where}
    order by ${order} limit ${limit} offset ${offset}`.execute(db)
  return rows.length < limit ? null : rows.map(({ id }) => id)
}
