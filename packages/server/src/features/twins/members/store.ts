import type { JsonValue } from '@leitstand/contract/common'
import type { AggregationMethod } from '@leitstand/contract/series'
import { memberLimits, type SettingsOf, type Stale, type StateQuery } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
import type { ScopesByCategory } from '../policy.ts'
import { all, type Condition, inScopesByCategory, ints, texts } from '../store/filters.ts'

/** How far a query reaches. */
export interface Reach {
  accountId: number
  /** open scopes by category */
  scopes: ScopesByCategory
}

/** How far the editor of a query could see when it was saved. */
export interface StoredReach {
  accountId: number
  scopeId: number
  closedToTwins: number[]
  closedToDevices: number[]
}

/** The same, with where the twin is now that it is stored with. */
export interface OwnedReach extends StoredReach {
  ownScopeId: number
  ownAccountId: number
}

/** A stored query with how far its editor could see. */
export interface StoredQuery extends OwnedReach {
  stateId: number
  query: StateQuery
}

/** Accounts with aggregates by query, among these; null: of all. */
export async function accountsWithQueries(db: Executor, among: readonly number[] | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct account_id as id from state_queries
    where ${among === null ? sql`true` : sql`account_id = any(${ints(among)})`}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The accounts of those of these twins that are still there. */
export async function accountsOfTwins(db: Executor, twinIds: readonly number[]): Promise<number[]> {
  if (twinIds.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select distinct account_id as id from twins where id = any(${ints(twinIds)})`.execute(db)
  return rows.map(({ id }) => id)
}

/** The accounts of those of these scopes that are still there. */
export async function accountsOfScopes(db: Executor, scopeIds: readonly number[]): Promise<number[]> {
  if (scopeIds.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select distinct account_id as id from scopes where id = any(${ints(scopeIds)})`.execute(db)
  return rows.map(({ id }) => id)
}

const storedColumns = sql`q.state_id as "stateId", q.account_id as "accountId", s.source_settings -> 'query' as query,
  q.scope_id as "scopeId", q.closed_to_twins as "closedToTwins", q.closed_to_devices as "closedToDevices",
  t.scope_id as "ownScopeId", t.account_id as "ownAccountId"`

/** The queries of an account, or one of them. */
export async function queriesOf(db: Executor, accountId: number, stateId?: number): Promise<StoredQuery[]> {
  const { rows } = await sql<StoredQuery>`
    select ${storedColumns} from state_queries q join states s on s.id = q.state_id join twins t on t.id = s.twin_id
    where q.account_id = ${accountId} ${stateId === undefined ? sql`` : sql`and q.state_id = ${stateId}`}
    order by q.state_id`.execute(db)
  return rows
}

export async function countQueries(db: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from state_queries where account_id = ${accountId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Stores how far the editor of a query sees. */
export async function saveReach(
  tx: Executor,
  query: Omit<StoredQuery, 'ownAccountId' | 'ownScopeId' | 'query'>,
): Promise<void> {
  await sql`
    insert into state_queries (state_id, account_id, scope_id, closed_to_twins, closed_to_devices)
    values (${query.stateId}, ${query.accountId}, ${query.scopeId}, ${ints(query.closedToTwins)},
      ${ints(query.closedToDevices)})
    on conflict (state_id) do update set account_id = excluded.account_id, scope_id = excluded.scope_id,
      closed_to_twins = excluded.closed_to_twins, closed_to_devices = excluded.closed_to_devices`.execute(tx)
}

/** Deletes the query of a state with its members. */
export async function dropQuery(tx: Executor, stateId: number): Promise<void> {
  await sql`delete from state_queries where state_id = ${stateId}`.execute(tx)
  await sql`delete from state_members where state_id = ${stateId}`.execute(tx)
}

/** The scopes of an account from one downwards, including itself. */
export async function scopesBelow(db: Executor, scopeId: number, accountId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive down as (
      select id from scopes where id = ${scopeId} and account_id = ${accountId}
      union
      select c.id from scopes c join down on c.parent_id = down.id where c.account_id = ${accountId})
    select id from down order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * The scopes from one downwards that are not closed or below a closed one. None, if it is not at or below `rootId`, or the
 * way up to it is closed: the twin of the aggregate was moved to where its editor could not see.
 */
export async function openScopes(
  db: Executor,
  from: { scopeId: number; rootId: number; accountId: number },
  closed: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive up as (
      select id, parent_id from scopes where id = ${from.scopeId}
      union
      select p.id, p.parent_id from scopes p join up on p.id = up.parent_id where up.id <> ${from.rootId}),
    down as (
      select id from scopes where id = ${from.scopeId} and account_id = ${from.accountId}
        and exists (select from up where id = ${from.rootId})
        and not exists (select from up where id = any(${ints(closed)}))
      union
      select c.id from scopes c join down on c.parent_id = down.id
      where c.account_id = ${from.accountId} and c.id <> all(${ints(closed)}))
    select id from down`.execute(db)
  return rows.map(({ id }) => id)
}

const ofDevices = (condition: RawBuilder<unknown>): Condition =>
  sql<boolean>`exists (select from ${viewOf('devices')} d where d.id = t.id and ${condition})`

/**
 * States that a query finds, as a select from `states s` and `twins t`. Twins first, and the state of each by its key: with
 * statistics that are out of date the planner would otherwise read all states.
 */
function found(
  { query, reach }: { query: StateQuery; reach: Reach },
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const states = sql`cross join lateral (
    select id, title, unit, decimals from states where twin_id = t.id and key = ${query.key} offset 0) as s`
  return foundTwins({ query, reach }, columns, states)
}

/** The part of a query that is about twins. */
export type TwinPart = Omit<StateQuery, 'key'>

/**
 * Twins and devices that a query finds, as a select from `twins t`.
 * @param joined what else the columns are read from
 */
export function foundTwins(
  { query, reach }: { query: TwinPart; reach: Reach },
  columns: RawBuilder<unknown>,
  joined: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const conditions: Condition[] = [
    sql<boolean>`t.account_id = ${reach.accountId}`,
    inScopesByCategory(reach.scopes),
  ]
  if (query.category !== undefined) conditions.push(sql<boolean>`t.category = ${query.category}`)
  if (query.types?.length) conditions.push(sql<boolean>`t.type = any(${texts(query.types)})`)
  if (query.tags?.length) conditions.push(sql<boolean>`t.tags && ${texts(query.tags)}`)
  if (query.zones?.length) conditions.push(sql<boolean>`t.zones && ${texts(query.zones)}`)
  if (query.driverIds?.length) conditions.push(ofDevices(sql`d.driver_id = any(${ints(query.driverIds)})`))
  if (query.templateIds?.length)
    conditions.push(ofDevices(sql`d.template_id = any(${ints(query.templateIds)})`))
  if (query.twinId === undefined)
    return sql`select ${columns} from twins t ${joined} where ${all(conditions)}`
  return sql`
    select ${columns} from (
      with recursive below as (
        select id from twins where id = ${query.twinId} and account_id = ${reach.accountId}
        union
        select c.id from below cross join lateral (select id from twins where parent_id = below.id offset 0) as c)
      select id from below) as b
    cross join lateral (select * from twins where id = b.id offset 0) as t ${joined} where ${all(conditions)}`
}

/** How many states a query finds, and how many of these are in a list. */
export async function countMatches(
  db: Executor,
  question: { query: StateQuery; reach: Reach },
  listed: Iterable<number>,
): Promise<{ total: number; listed: number }> {
  const { rows } = await sql<{ total: number; listed: number }>`
    select count(*)::int as total, count(*) filter (where id = any(${ints([...listed])}))::int as listed
    from (${found(question, sql`s.id`)}) as f`.execute(db)
  return rows[0] ?? { total: 0, listed: 0 }
}

/**
 * Makes what a query finds the members of an aggregate, without some. The ids stay in the database: there can be 50 000.
 * @returns whether any came or went
 */
export async function saveMembers(
  tx: Executor,
  stateId: number,
  question: PreviewQuestion,
): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`
    with wanted as materialized (
      select id from (${found(question, sql`s.id`)}) as f where id <> all(${ints(question.without)})
      order by id limit ${memberLimits.membersMax}),
    known as materialized (select source_state_id as id from state_members where state_id = ${stateId}),
    gone as (
      delete from state_members where state_id = ${stateId}
        and source_state_id in (select id from known except select id from wanted)
      returning 1),
    added as (
      insert into state_members (state_id, source_state_id)
      select ${stateId}::int, id from (select id from wanted except select id from known) as n
      returning 1)
    select exists (select from gone) or exists (select from added) as changed`.execute(tx)
  return rows[0]?.changed ?? false
}

/** A member as the preview shows it. */
export interface PreviewRow {
  stateId: number
  title: string
  unit: string
  decimals: number | null
  twinId: number
  twinTitle: string
  value: JsonValue | null
  time: Date | null
}

export interface PreviewQuestion {
  query: StateQuery
  reach: Reach
  /** states that are left out */
  without: readonly number[]
}

/** A page of the members, in the order of their twins. */
export async function listMembers(
  db: Executor,
  question: PreviewQuestion,
  { offset, limit }: { offset: number; limit: number },
): Promise<PreviewRow[]> {
  const columns = sql`s.id, s.title, s.unit, s.decimals, t.id as twin_id, t.title as twin_title`
  const { rows } = await sql<PreviewRow>`
    with page as (
      select * from (${found(question, columns)}) as f where id <> all(${ints(question.without)})
      order by twin_title collate natural_order, id limit ${limit} offset ${offset})
    select page.id as "stateId", page.title, unit, decimals, twin_id as "twinId", twin_title as "twinTitle",
      coalesce(to_jsonb(c.num), to_jsonb(c.txt), to_jsonb(c.bool), c.json) as value, c.time
    from page left join state_current c on c.state_id = page.id
    order by twin_title collate natural_order, page.id`.execute(db)
  return rows
}

/** Numbers and value of an aggregate over all members, computed in the database: there can be 50 000. */
export async function summariseMembers(
  db: Executor,
  question: PreviewQuestion,
  { method, stale, now }: { method: AggregationMethod; stale: Stale | undefined; now: Date },
): Promise<{ total: number; valued: number; stale: number; looping: number; value: JsonValue | null }> {
  const since = stale === undefined ? null : new Date(now.getTime() - stale.afterSeconds * 1000)
  const { rows } = await sql<{
    total: number
    valued: number
    fresh: number
    looping: number
    value: JsonValue | null
  }>`
    with f as materialized (${found(question, sql`s.id`)}),
    members as materialized (
      select f.id, c.time, coalesce(c.num, c.bool::int::float8) as number,
        coalesce(to_jsonb(c.num), to_jsonb(c.txt), to_jsonb(c.bool), c.json) as value,
        c.time > coalesce(${since}::timestamptz, '-infinity') as fresh
      from f left join state_current c on c.state_id = f.id
      where f.id <> all(${ints(question.without)}))
    select count(*)::int as total, count(time)::int as valued, count(*) filter (where fresh)::int as fresh,
      ((select count(*) from f) - count(*))::int as looping, ${reduced[method]} as value
    from members`.execute(db)
  const row = rows[0] ?? { total: 0, valued: 0, fresh: 0, looping: 0, value: null }
  const isUnknown = stale?.counts === 'unknown' && row.fresh < row.total
  return { ...row, stale: row.valued - row.fresh, value: row.fresh === 0 || isUnknown ? null : row.value }
}

const reduced: Record<AggregationMethod, RawBuilder<JsonValue | null>> = {
  avg: sql`to_jsonb(avg(number) filter (where fresh))`,
  min: sql`to_jsonb(min(number) filter (where fresh))`,
  max: sql`to_jsonb(max(number) filter (where fresh))`,
  sum: sql`to_jsonb(sum(number) filter (where fresh))`,
  median: sql`to_jsonb(percentile_cont(0.5) within group (order by number) filter (where fresh))`,
  count: sql`to_jsonb(count(*) filter (where fresh))`,
  latest: sql`(array_agg(value order by time desc, id desc) filter (where fresh))[1]`,
}

type QuerySettings = SettingsOf<'aggregate'> & { query: StateQuery }

/** The copies of states of a twin that are computed from a query, with the twin they belong to. */
export async function listQueriesToCopy(
  tx: Executor,
  from: number,
  to: number,
): Promise<{ id: number; accountId: number; scopeId: number; settings: QuerySettings }[]> {
  const { rows } = await sql<{ id: number; accountId: number; scopeId: number; settings: QuerySettings }>`
    select n.id, t.account_id as "accountId", t.scope_id as "scopeId", s.source_settings as settings
    from states s join state_queries q on q.state_id = s.id
    join states n on n.twin_id = ${to} and n.key = s.key join twins t on t.id = n.twin_id
    where s.twin_id = ${from} order by n.id`.execute(tx)
  return rows
}

/** Makes a state an aggregate by query. */
export async function setQuerySource(
  tx: Executor,
  id: number,
  settings: QuerySettings,
  now: Date,
): Promise<void> {
  await sql`
    update states set source = 'aggregate', source_settings = ${jsonb({ ...settings })}, updated_at = ${now}
    where id = ${id}`.execute(tx)
}
