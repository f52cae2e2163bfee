import type { ReferenceId, TwinSummary, TwinType } from '@leitstand/contract/twins'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import {
  all,
  type Condition,
  inPageOrder,
  inScopes,
  ints,
  isInTree,
  type ObjectFilter,
  objectConditions,
  orderOf,
  stretchOf,
  texts,
  titleOrder,
  titleSearch,
} from './filters.ts'
import { levelOfRank, worstRank } from './levels.ts'

export interface TwinFilter extends ObjectFilter {
  search?: string | undefined
  /** further searches, all of which have to match */
  searchItems?: readonly string[] | undefined
  types?: readonly TwinType[] | undefined
  /** below this twin, on any level */
  belowId?: number | undefined
}

export interface Page {
  offset: number
  limit: number
}

const orderColumns = {
  title: { column: titleOrder },
  type: { column: sql`t.type` },
  updatedAt: { column: sql`t.updated_at` },
  id: { column: sql`t.id` },
}

/** Ids of one page of twins and the total; without scopes nothing matches. */
export async function listTwinIds(
  db: Executor,
  scopeIds: readonly number[],
  filter: TwinFilter,
  page: Page & { orderBy: string },
): Promise<{ ids: number[]; total: number }> {
  return pageOfIds(db, twinsIn(scopeIds, filter), page.orderBy, page)
}

/** The twins of a filter as a condition on `twins t`; without scopes nothing matches. */
export function twinsIn(scopeIds: readonly number[], filter: TwinFilter): Condition {
  return all([
    ...objectConditions('digitalTwin', filter),
    inScopes(scopeIds),
    ...[filter.search, ...(filter.searchItems ?? [])].flatMap(titleSearch),
    ...(filter.types ? [sql<boolean>`t.type = any(${texts(filter.types)})`] : []),
    ...(filter.belowId === undefined
      ? []
      : [isInTree(filter.belowId), sql<boolean>`t.id <> ${filter.belowId}`]),
  ])
}

/** Direct child twins of a twin. */
export async function listChildIds(
  db: Executor,
  scopeIds: readonly number[],
  parentId: number,
  page: Page,
): Promise<{ ids: number[]; total: number }> {
  const where = all([
    sql<boolean>`t.category = 'digitalTwin'`,
    sql<boolean>`t.parent_id = ${parentId}`,
    inScopes(scopeIds),
  ])
  return pageOfIds(db, where, 'title', page)
}

/**
 * The topmost visible twins. A twin has the scope of its parent unless it has its own, so below an invisible
 * parent only twins with their own scope can be visible.
 */
export async function listTopIds(
  db: Executor,
  scopeIds: readonly number[],
  accountIds: readonly number[] | undefined,
  page: Page,
): Promise<{ ids: number[]; total: number }> {
  const entries = sql`select s.twin_id from scopes s
    join twins own on own.id = s.twin_id
    join twins above on above.id = own.parent_id
    where s.id = any(${ints(scopeIds)}) and above.scope_id <> all(${ints(scopeIds)})`
  const where = all([
    ...objectConditions('digitalTwin', { accountIds }),
    inScopes(scopeIds),
    sql<boolean>`(t.parent_id is null or t.id in (${entries}))`,
  ])
  return pageOfIds(db, where, 'title', page)
}

async function pageOfIds(
  db: Executor,
  where: Condition,
  orderBy: string,
  wanted: Page,
): Promise<{ ids: number[]; total: number }> {
  const counted = await sql<{ total: number }>`select count(*) as total from twins t where ${where}`.execute(
    db,
  )
  const total = counted.rows[0]?.total ?? 0
  if (total <= wanted.offset) return { ids: [], total }
  const stretch = stretchOf(wanted, total)
  const page = await sql<{ id: number }>`
    select t.id from twins t where ${where} order by ${orderOf(orderColumns, orderBy, stretch.backwards)}
    limit ${stretch.limit} offset ${stretch.offset}`.execute(db)
  return { ids: inPageOrder(page.rows, stretch).map(({ id }) => id), total }
}

/** Visible ancestors of these twins, without the twins themselves. */
export async function findAncestorIds(
  db: Executor,
  scopeIds: readonly number[],
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive up as (
      select parent_id from twins where id = any(${ints(ids)}) and parent_id is not null
      union
      select p.parent_id from twins p join up on p.id = up.parent_id where p.parent_id is not null)
    select t.id from twins t join up on up.parent_id = t.id where ${inScopes(scopeIds)}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Loads twins for lists, in the order of the ids; those outside the scopes are missing.
 * @param scopes of twins the caller may see, and of those whose states the caller may read
 */
export async function loadTwinSummaries(
  db: Executor,
  { twins: scopeIds, states: stateScopeIds }: { twins: readonly number[]; states: readonly number[] },
  ids: readonly number[],
): Promise<TwinSummary[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<
    Omit<TwinSummary, 'updatedAt' | 'level'> & { updatedAt: Date; rank: number | null }
  >`
    select t.id, t.title, t.type, t.icon, t.account_id as "accountId", a.name as "accountName",
      t.scope_id as "scopeId", p.id as "parentId", p.title as "parentTitle", t.tags, t.zones, t.latitude, t.longitude,
      t.disabled, t.updated_at as "updatedAt",
      exists (select from scopes own where own.twin_id = t.id) as "hasOwnScope",
      (select count(*)::int from twins c
        where c.parent_id = t.id and c.category = 'digitalTwin' and c.scope_id = any(${ints(scopeIds)})) as "childCount",
      (select count(*)::int from states s where s.twin_id = t.id) as "stateCount",
      ${worstRank(stateScopeIds)} as rank
    from unnest(${ints(ids)}) with ordinality as wanted (id, place)
    join twins t on t.id = wanted.id
    join accounts a on a.id = t.account_id
    left join twins p on p.id = t.parent_id and p.scope_id = any(${ints(scopeIds)})
    where t.category = 'digitalTwin' and ${inScopes(scopeIds)}
    order by wanted.place`.execute(db)
  return rows.map(({ rank, updatedAt, ...row }) => ({
    ...row,
    level: levelOfRank(rank),
    updatedAt: updatedAt.toISOString(),
  }))
}

interface TwinDetails {
  referenceIds: ReferenceId[]
  keyValues: Record<string, string>
  description: string
  address: string
}

/** What lists show of twins in these scopes when asked for. */
export async function loadTwinDetails(
  db: Executor,
  scopeIds: readonly number[],
  ids: readonly number[],
): Promise<Map<number, TwinDetails>> {
  const { rows } = await sql<TwinDetails & { id: number }>`
    select t.id, t.key_values as "keyValues", t.description, t.address,
      coalesce((select json_agg(json_build_object('name', r.name, 'value', r.value) order by r.name, r.value)
        from twin_references r where r.twin_id = t.id), '[]') as "referenceIds"
    from twins t where t.id = any(${ints(ids)}) and t.category = 'digitalTwin' and ${inScopes(scopeIds)}`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...details }) => [id, details]))
}

/**
 * Scopes that are among others.
 * @param asked.scope_ids these and all below them, or with `no_descendents` only these; undefined: any
 */
export async function narrowedScopes(
  db: Executor,
  scopeIds: readonly number[],
  asked: { scope_ids?: readonly number[] | undefined; options?: readonly 'no_descendents'[] | undefined },
): Promise<number[]> {
  if (!asked.scope_ids) return [...scopeIds]
  const isExact = asked.options?.includes('no_descendents') ?? false
  const among = new Set(isExact ? asked.scope_ids : await scopesBelow(db, asked.scope_ids))
  return scopeIds.filter((id) => among.has(id))
}

/** These scopes and their descendants. */
async function scopesBelow(db: Executor, scopeIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive below as (
      select id from scopes where id = any(${ints(scopeIds)})
      union
      select s.id from scopes s join below b on s.parent_id = b.id)
    select id from below`.execute(db)
  return rows.map(({ id }) => id)
}

/** Tags and zones in use, in natural order, at most 1 000 of each. */
export async function listTagsAndZones(
  db: Executor,
  category: 'digitalTwin' | 'virtualDevice',
  scopeIds: readonly number[],
): Promise<{ tags: string[]; zones: string[] }> {
  // Most twins share their tags and zones, so group equal combinations first.
  const { rows } = await sql<{ tags: string[]; zones: string[] }>`
    with alike as materialized (
      select t.tags, t.zones from twins t
      where t.category = ${category} and ${inScopes(scopeIds)} and (t.tags <> '{}' or t.zones <> '{}')
      group by t.tags, t.zones)
    select ${namesOf('tags')} as tags, ${namesOf('zones')} as zones`.execute(db)
  return rows[0] ?? { tags: [], zones: [] }
}

const namesOf = (column: 'tags' | 'zones') => sql`array(
  select name from (select distinct unnest(${sql.ref(column)}) as name from alike) as names
  order by name collate natural_order, name limit 1000)`
