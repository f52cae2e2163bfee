import type { JsonValue } from '@leitstand/contract/common'
import { childrenMax, type ManyTwins, type RelatedMetric, type RuleTwin } from '@leitstand/contract/rules'
import type { Search } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import {
  foundTwins,
  inScopesByCategory,
  ints,
  type OwnedReach,
  type Reach,
  type ScopesByCategory,
  texts,
} from '../../twins/index.ts'
import type { Watch } from '../triggers/types.ts'
import { forgetOtherMembers } from './fences.ts'
import { runPlaces } from './pipeline.ts'

type StoredReach = Omit<OwnedReach, 'ownScopeId' | 'ownAccountId'>

/** Accounts with rules that look for twins or for states by key, among these; null: of all. */
export async function accountsWithReaches(db: Executor, among: readonly number[] | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct account_id as id from rule_reaches
    where ${among === null ? sql`true` : sql`account_id = any(${ints(among)})`}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Such rules of an account. */
export async function rulesWithReach(db: Executor, accountId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select rule_id as id from rule_reaches where account_id = ${accountId} order by rule_id`.execute(db)
  return rows.map(({ id }) => id)
}

/** The twin of a rule, its account and its scope. */
export async function homeOf(
  db: Executor,
  ruleId: number,
): Promise<{ id: number; accountId: number; scopeId: number; category: keyof ScopesByCategory }> {
  const { category, ...row } = await db
    .selectFrom('rules')
    .innerJoin('twins', 'twins.id', 'rules.twin_id')
    .select(['twins.id', 'twins.account_id as accountId', 'twins.scope_id as scopeId', 'twins.category'])
    .where('rules.id', '=', ruleId)
    .executeTakeFirstOrThrow()
  return { ...row, category: category as keyof ScopesByCategory }
}

/** The states with these keys on the twins that a rule runs on. */
export async function findOwnTargets(
  db: Executor,
  ruleId: number,
  keys: readonly string[],
): Promise<number[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select s.id from ${runPlaces} p join states s on s.twin_id = p.twin_id and s.key = any(${texts(keys)})
    where p.rule_id = ${ruleId}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Locks a rule against changes. @returns whether it exists */
export async function lockRule(tx: Executor, ruleId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('rules')
    .select('id')
    .where('id', '=', ruleId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return found !== undefined
}

/** Stores how far the editor of a rule sees. */
export async function saveReach(tx: Executor, ruleId: number, reach: StoredReach): Promise<void> {
  await sql`
    insert into rule_reaches (rule_id, account_id, scope_id, closed_to_twins, closed_to_devices)
    values (${ruleId}, ${reach.accountId}, ${reach.scopeId}, ${ints(reach.closedToTwins)}, ${ints(reach.closedToDevices)})
    on conflict (rule_id) do update set account_id = excluded.account_id, scope_id = excluded.scope_id,
      closed_to_twins = excluded.closed_to_twins, closed_to_devices = excluded.closed_to_devices`.execute(tx)
}

/** How far the editor of a rule sees; undefined: it looks for nothing. */
export async function findReach(db: Executor, ruleId: number): Promise<OwnedReach | undefined> {
  const { rows } = await sql<OwnedReach>`
    select q.account_id as "accountId", q.scope_id as "scopeId", q.closed_to_twins as "closedToTwins",
      q.closed_to_devices as "closedToDevices", t.scope_id as "ownScopeId", t.account_id as "ownAccountId"
    from rule_reaches q join rules r on r.id = q.rule_id join twins t on t.id = r.twin_id
    where q.rule_id = ${ruleId}`.execute(db)
  return rows[0]
}

/** The rule is not for many any more. */
export async function dropMembers(tx: Executor, ruleId: number): Promise<void> {
  await sql`delete from rule_members where rule_id = ${ruleId}`.execute(tx)
}

/** The rule looks for nothing any more. */
export async function dropReach(tx: Executor, ruleId: number): Promise<void> {
  await sql`delete from rule_reaches where rule_id = ${ruleId}`.execute(tx)
  await dropMembers(tx, ruleId)
  await sql`delete from rule_inputs where rule_id = ${ruleId}`.execute(tx)
}

interface MembersQuestion {
  many: ManyTwins
  reach: Reach
  /** a member has a state with one of these keys; empty: it need not */
  keys: readonly string[]
}

/** The twins of a rule for many, as a select of `id` and other columns of `twins t`. */
function members({ many, reach, keys }: MembersQuestion, columns: RawBuilder<unknown>): RawBuilder<unknown> {
  const found = foundTwins({ query: many.query, reach }, columns)
  const hasKey =
    keys.length === 0
      ? sql`true`
      : sql`exists (select from states s where s.twin_id = f.id and s.key = any(${texts(keys)}))`
  return sql`select * from (${found}) as f where f.id <> all(${ints(many.except)}) and ${hasKey}`
}

/**
 * Makes what the query finds the twins of a rule. The ids stay in the database.
 * @param most twins it can have
 * @returns how many twins there are beyond the largest number
 */
export async function writeMembers(
  tx: Executor,
  ruleId: number,
  { most, ...question }: MembersQuestion & { most: number },
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    with every as materialized (${members(question, sql`t.id`)}),
    wanted as materialized (select id from every order by id limit ${most}),
    gone as (
      delete from rule_members where rule_id = ${ruleId} and twin_id not in (select id from wanted)),
    added as (
      insert into rule_members (rule_id, twin_id)
      select ${ruleId}::int, id from wanted
      where id not in (select twin_id from rule_members where rule_id = ${ruleId})
      on conflict do nothing)
    select count(*)::int as total from every`.execute(tx)
  const beyond = Math.max(0, (rows[0]?.total ?? 0) - most)
  await sql`
    update rule_reaches set beyond = ${beyond} where rule_id = ${ruleId} and beyond <> ${beyond}`.execute(tx)
  return beyond
}

/** A metric that names states by key; `wakes`: their values wake the rule. */
export interface RelatedInput extends Pick<RelatedMetric, 'alias' | 'of' | 'stateKey'> {
  wakes: boolean
}

/**
 * The states of metrics that name them by key, as a select of `twin_id`, `alias`, `state_id` and `wakes`. One after the other
 * by their indexes: with statistics that are out of date the planner would otherwise compare all with all.
 */
function inputsOf(
  places: RawBuilder<unknown>,
  inputs: readonly RelatedInput[],
  scopes: ScopesByCategory,
): RawBuilder<unknown> {
  return sql`
    select p.twin_id, k.alias, s.id as state_id, k.wakes
    from ${places} p
    cross join lateral (select id, parent_id, account_id from twins where id = p.twin_id offset 0) as own
    cross join unnest(${texts(inputs.map(({ alias }) => alias))}, ${texts(inputs.map(({ of }) => of))},
      ${texts(inputs.map(({ stateKey }) => stateKey))}, ${inputs.map(({ wakes }) => wakes)}::boolean[])
      as k (alias, kind, key, wakes)
    cross join lateral (
      select own.id where k.kind = 'own'
      union all select own.parent_id where k.kind = 'parent' and own.parent_id is not null
      union all (select c.id from twins c where k.kind = 'children' and c.parent_id = own.id limit ${childrenMax + 1})
    ) as source
    cross join lateral (select id, account_id, scope_id, category from twins where id = source.id offset 0) as t
    cross join lateral (select id from states where twin_id = t.id and key = k.key offset 0) as s
    where t.account_id = own.account_id and ${inScopesByCategory(scopes)}`
}

/** Stores the states of metrics that name them by key. @param without states that wake nothing: the rule sets them */
export async function writeInputs(
  tx: Executor,
  ruleId: number,
  inputs: readonly RelatedInput[],
  reach: Reach,
  without: readonly number[],
): Promise<void> {
  const places = sql`(select rule_id, twin_id from ${runPlaces} r where r.rule_id = ${ruleId})`
  await sql`
    with wanted as materialized (
      select twin_id, alias, state_id, wakes and state_id <> all(${ints(without)}) as wakes
      from (${inputsOf(places, inputs, reach.scopes)}) as n),
    known as materialized (
      select twin_id, alias, state_id, wakes from rule_inputs where rule_id = ${ruleId}),
    gone as (
      delete from rule_inputs where rule_id = ${ruleId} and (twin_id, alias, state_id) in (
        select twin_id, alias, state_id from known except select twin_id, alias, state_id from wanted))
    insert into rule_inputs (rule_id, twin_id, alias, state_id, wakes)
    select ${ruleId}::int, twin_id, alias, state_id, wakes
    from (select * from wanted except select * from known) as n
    on conflict (rule_id, twin_id, alias, state_id) do update set wakes = excluded.wakes`.execute(tx)
}

/** The states that metrics of a draft name by key, by alias, as far as they are in these scopes. */
export async function findRelated(
  db: Executor,
  scopes: ScopesByCategory,
  twinId: number,
  inputs: readonly RelatedInput[],
): Promise<Map<string, number[]>> {
  if (inputs.length === 0) return new Map()
  const place = sql`(select ${twinId}::int as twin_id)`
  const { rows } = await sql<{ alias: string; ids: number[] }>`
    select alias, array_agg(state_id order by state_id) as ids
    from (${inputsOf(place, inputs, scopes)}) as n group by alias`.execute(db)
  return new Map(rows.map(({ alias, ids }) => [alias, ids]))
}

/** The states that wake a rule where metrics name them by key, out of these. */
export async function wakingAmong(
  db: Executor,
  ruleId: number,
  stateIds: readonly number[],
): Promise<number[]> {
  if (stateIds.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select distinct state_id as id from rule_inputs
    where rule_id = ${ruleId} and wakes and state_id = any(${ints(stateIds)})`.execute(db)
  return rows.map(({ id }) => id)
}

/** What a rule for many watches of each of its twins. */
export async function writeMemberWatches(
  tx: Executor,
  ruleId: number,
  watches: readonly Pick<Watch, 'kind' | 'below'>[],
): Promise<void> {
  const kinds = texts(watches.map(({ kind }) => kind))
  await sql`
    delete from rule_watches w where w.rule_id = ${ruleId} and w.kind <> 'rule' and not (w.kind = any(${kinds})
      and exists (select from rule_members m where m.rule_id = w.rule_id and m.twin_id = w.twin_id))`.execute(
    tx,
  )
  if (watches.length === 0) return
  await sql`
    insert into rule_watches (rule_id, twin_id, kind, object_id, below)
    select m.rule_id, m.twin_id, k.kind, m.twin_id, k.below
    from rule_members m cross join unnest(${kinds}, ${watches.map(({ below }) => below)}::boolean[]) as k (kind, below)
    where m.rule_id = ${ruleId}
    on conflict (rule_id, twin_id, kind, object_id) do nothing`.execute(tx)
}

/** The silences of states that metrics name by key. They count from now, if the rule did not wait for them before. */
export async function writeSilences(
  tx: Executor,
  ruleId: number,
  silences: readonly { trigger: number; alias: string; ms: number }[],
  now: Date,
): Promise<void> {
  if (silences.length === 0) return
  const triggers = ints(silences.map(({ trigger }) => trigger))
  const wanted = sql`
    select i.twin_id, s.trigger, i.state_id, s.ms from rule_inputs i
    join unnest(${triggers}, ${texts(silences.map(({ alias }) => alias))},
      ${silences.map(({ ms }) => ms)}::bigint[]) as s (trigger, alias, ms) on s.alias = i.alias
    where i.rule_id = ${ruleId}`
  await sql`
    delete from rule_due where rule_id = ${ruleId} and (twin_id, trigger, state_id) in (
      select twin_id, trigger, state_id from rule_due where rule_id = ${ruleId} and trigger = any(${triggers})
      except select twin_id, trigger, state_id from (${wanted}) as w)`.execute(tx)
  await sql`
    insert into rule_due (rule_id, twin_id, trigger, due_at, state_id, silence_ms)
    select ${ruleId}::int, w.twin_id, w.trigger, ${now}::timestamptz + w.ms * interval '1 millisecond', w.state_id, w.ms
    from (${wanted}) as w on conflict (rule_id, twin_id, trigger) do nothing`.execute(tx)
}

/** Forgets twins that a rule no longer runs on. @returns those on which it was evaluated */
export async function forgetOtherTwins(tx: Executor, ruleId: number): Promise<number[]> {
  const isElsewhere = (alias: string) =>
    sql`${sql.ref(`${alias}.rule_id`)} = ${ruleId} and not exists (
      select from ${runPlaces} p where p.rule_id = ${ruleId} and p.twin_id = ${sql.ref(`${alias}.twin_id`)})`
  await sql`delete from rule_inputs i where ${isElsewhere('i')}`.execute(tx)
  await forgetOtherMembers(tx, ruleId)
  await sql`
    delete from rule_due d where ${isElsewhere('d')}
      and d.twin_id <> (select twin_id from rules where id = ${ruleId})`.execute(tx)
  const { rows } = await sql<{ twin_id: number }>`
    delete from rule_live l where ${isElsewhere('l')} returning l.twin_id`.execute(tx)
  return rows.map(({ twin_id: twinId }) => twinId)
}

/** How many twins rules for many run on, and how many they would beyond the largest number. */
export async function countTwins(
  db: Executor,
  ruleIds: readonly number[],
): Promise<Map<number, { total: number; beyond: number }>> {
  if (ruleIds.length === 0) return new Map()
  const { rows } = await sql<{ id: number; total: number; beyond: number }>`
    select r.id, coalesce(q.beyond, 0) as beyond,
      (select count(*)::int from rule_members m where m.rule_id = r.id) as total
    from rules r left join rule_reaches q on q.rule_id = r.id where r.id = ${anyOf(ruleIds)}`.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

interface TwinsFilter {
  search: Search | null
  results?: readonly string[] | undefined
  except?: boolean | undefined
  offset: number
  limit: number
}

/** The twins of a rule for many in these scopes, and those it leaves out, by title. */
export async function listTwins(
  db: Executor,
  scopeIds: readonly number[],
  rule: { id: number; except: readonly number[] },
  { search, results, except, offset, limit }: TwinsFilter,
): Promise<{ items: RuleTwin[]; total: number }> {
  const found = sql`
    select t.id, t.title, t.category, e.is_except, l.last_evaluated_at, l.last_fired_at, l.last_result
    from (
      select twin_id, false as is_except from rule_members where rule_id = ${rule.id}
      union all
      select id, true from unnest(${ints(rule.except)}) as left_out (id)) as e
    join twins t on t.id = e.twin_id
    left join rule_live l on l.rule_id = ${rule.id} and l.twin_id = t.id
    where t.scope_id = ${anyOf(scopeIds)}
      and ${search ? matches([sql`t.search`], search) : sql`true`}
      and ${results ? sql`l.last_result = any(${texts(results)})` : sql`true`}
      and ${except === undefined ? sql`true` : sql`e.is_except = ${except}`}`
  const { rows } = await sql<TwinRow>`
    select * from (${found}) f order by title collate natural_order, id offset ${offset} limit ${limit}`.execute(
    db,
  )
  const counted = await sql<{ total: number }>`select count(*)::int as total from (${found}) f`.execute(db)
  const items = rows.map((row) => ({
    dtwinId: row.id,
    twinTitle: row.title,
    twinCategory: row.category,
    except: row.is_except,
    lastEvaluatedAt: row.last_evaluated_at?.toISOString() ?? null,
    lastFiredAt: row.last_fired_at?.toISOString() ?? null,
    lastResult: row.last_result as RuleTwin['lastResult'],
  }))
  return { items, total: counted.rows[0]?.total ?? 0 }
}

interface TwinRow {
  id: number
  title: string
  category: RuleTwin['twinCategory']
  is_except: boolean
  last_evaluated_at: Date | null
  last_fired_at: Date | null
  last_result: JsonValue
}

/** The twins that a draft would run on, by title. */
export async function previewTwins(
  db: Executor,
  question: MembersQuestion,
  { offset, limit }: { offset: number; limit: number },
): Promise<{
  items: Pick<RuleTwin, 'dtwinId' | 'twinTitle' | 'twinCategory'>[]
  total: number
}> {
  const found = members(question, sql`t.id, t.title, t.category`)
  const { rows } = await sql<Pick<TwinRow, 'id' | 'title' | 'category'> & { total: number }>`
    with f as materialized (${found}), counted as (select count(*)::int as total from f)
    select f.*, counted.total from counted
    left join (select * from f order by title collate natural_order, id offset ${offset} limit ${limit}) as f on true
    order by title collate natural_order, id`.execute(db)
  const items = rows
    .filter(({ id }) => id !== null)
    .map((row) => ({ dtwinId: row.id, twinTitle: row.title, twinCategory: row.category }))
  return { items, total: rows[0]?.total ?? 0 }
}
