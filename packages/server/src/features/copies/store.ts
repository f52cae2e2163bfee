import type { SourceDefinition } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { JobRowRecord } from '../jobs/index.ts'
import { inScopes, inScopesByCategory, ints, type ScopesByCategory, type TwinPair } from '../twins/index.ts'
import type { Dependence } from './fate.ts'

export interface SubtreeTwin {
  id: number
  title: string
  /** levels below the first */
  depth: number
}

/** A twin and the twins below it in these scopes, parents before children. */
export async function listSubtree(
  db: Executor,
  scopeIds: readonly number[],
  rootId: number,
  limit: number,
): Promise<SubtreeTwin[]> {
  const { rows } = await sql<SubtreeTwin>`
    with recursive down as (
      select t.id, t.title, 0 as depth from twins t
      where t.id = ${rootId} and t.category = 'digitalTwin' and ${inScopes(scopeIds)}
      union all
      select t.id, t.title, down.depth + 1 from twins t join down on t.parent_id = down.id
      where t.category = 'digitalTwin' and ${inScopes(scopeIds)})
    select * from down order by depth, id limit ${limit}`.execute(db)
  return rows
}

/** Twins as (source_id, copy_id); what is copied, or is going to be. */
export type Copied = RawBuilder<unknown>

export const pairsOf = (pairs: readonly TwinPair[]): Copied =>
  sql`select * from unnest(${ints(pairs.map(({ from }) => from))}, ${ints(pairs.map(({ to }) => to))})
    as p (source_id, copy_id)`

export const pairsOfJob = (jobId: number): Copied =>
  sql`select source_id, copy_id from twin_copies where job_id = ${jobId}`

export interface Amounts {
  devices: number
  states: number
  /** states that listen to an address */
  listening: number
  rules: number
  referenceIds: number
}

/** What belongs to these twins. */
export async function countParts(
  db: Executor,
  ids: readonly number[],
  listening: readonly string[],
): Promise<Amounts> {
  const { rows } = await sql<Amounts>`
    with copied as materialized (select unnest(${ints(ids)}) as id)
    select
      (select count(*)::int from copied c join twins t on t.parent_id = c.id
        where t.category = 'virtualDevice') as devices,
      states, listening,
      (select count(*)::int from copied c join rules r on r.twin_id = c.id) as rules,
      (select count(*)::int from copied c join twin_references r on r.twin_id = c.id) as "referenceIds"
    from (select count(*)::int as states, count(*) filter (where s.source = any(${[...listening]}::text[]))::int as listening
      from copied c join states s on s.twin_id = c.id) as owned`.execute(db)
  return rows[0] ?? { devices: 0, states: 0, listening: 0, rules: 0, referenceIds: 0 }
}

/** Numbers of computed states of these twins by what they are computed from. */
export async function countDependent(
  db: Executor,
  scopes: ScopesByCategory,
  ids: readonly number[],
): Promise<(Dependence & { count: number })[]> {
  const { rows } = await sql<Dependence & { count: number }>`
    with copied as materialized (select unnest(${ints(ids)}) as source_id),
    computed as (
      select bool_or(${onDeviceBelow}) as "onDeviceBelow", bool_or(${onHidden(scopes)}) as "onHidden"
      from copied k join states s on s.twin_id = k.source_id join state_links l on l.state_id = s.id
      join states o on o.id = l.source_state_id join twins t on t.id = o.twin_id
      left join copied c on c.source_id = t.id
      group by s.id)
    select "onDeviceBelow", "onHidden", count(*)::int as count from computed group by 1, 2`.execute(db)
  return rows
}

/** Conditions on the owner `t` of a source and its copy `c`. */
const onDeviceBelow = sql<boolean>`c.source_id is null and t.category = 'virtualDevice'
  and exists (select from copied b where b.source_id = t.parent_id)`
const onHidden = (scopes: ScopesByCategory) =>
  sql<boolean>`c.source_id is null and not ${inScopesByCategory(scopes)}`

export interface ComputedState extends Dependence {
  /** of the copy */
  id: number
  definition: SourceDefinition
  /** a source and its copy; it is its own copy where it was not copied */
  sources: readonly (readonly [number, number])[]
}

/** The computed states of a copied twin. */
export async function listComputed(
  db: Executor,
  scopes: ScopesByCategory,
  { from, to }: TwinPair,
  copied: Copied,
): Promise<ComputedState[]> {
  const { rows } = await sql<ComputedState>`
    with copied as (${copied})
    select n.id, json_build_object('source', s.source, 'sourceSettings', s.source_settings) as definition,
      json_agg(json_build_array(o.id, coalesce(m.id, o.id))) as sources,
      bool_or(${onDeviceBelow}) as "onDeviceBelow", bool_or(${onHidden(scopes)}) as "onHidden"
    from states s join states n on n.twin_id = ${to} and n.key = s.key
    join state_links l on l.state_id = s.id
    join states o on o.id = l.source_state_id join twins t on t.id = o.twin_id
    left join copied c on c.source_id = t.id
    left join states m on m.twin_id = c.copy_id and m.key = o.key
    where s.twin_id = ${from}
    group by n.id, s.id`.execute(db)
  return rows
}

/** The rules among these that use states outside of the copy which the caller may not read or set, or which are gone. */
export async function listHiddenRules(
  db: Executor,
  { read, write }: { read: ScopesByCategory; write: ScopesByCategory },
  twinIds: readonly number[],
  copied: Copied,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with copied as materialized (${copied})
    select distinct u.user_id as id
    from rules r join uses u on u.user_kind = 'rule' and u.user_id = r.id and u.used_kind in ('state', 'twin')
    left join states o on u.used_kind = 'state' and o.id = u.used_id
    left join twins t on t.id = case u.used_kind when 'twin' then u.used_id else o.twin_id end
    left join copied c on c.source_id = t.id
    where r.twin_id = any(${ints(twinIds)}) and c.source_id is null
      and (t.id is null or not case u.note when 'sets' then ${inScopesByCategory(write)}
        else ${inScopesByCategory(read)} end)`.execute(db)
  return rows.map(({ id }) => id)
}

/** The copies of states; those that were not copied are missing. */
export async function findCopiedStates(
  db: Executor,
  stateIds: readonly number[],
  copied: Copied,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ from: number; to: number }>`
    select s.id as from, n.id as to from states s join (${copied}) as c on c.source_id = s.twin_id
    join states n on n.twin_id = c.copy_id and n.key = s.key
    where s.id = ${anyOf(stateIds)}`.execute(db)
  return new Map(rows.map(({ from, to }) => [from, to]))
}

/** Remembers copies of a job. */
export async function insertPairs(tx: Executor, jobId: number, pairs: readonly TwinPair[]): Promise<void> {
  await sql`
    insert into twin_copies (job_id, source_id, copy_id)
    select ${jobId}, p.source_id, p.copy_id from (${pairsOf(pairs)}) as p`.execute(tx)
}

/** The copies a job has made of these twins. */
export async function findPairs(
  db: Executor,
  jobId: number,
  sourceIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ from: number; to: number }>`
    select source_id as from, copy_id as to from twin_copies
    where job_id = ${jobId} and source_id = ${anyOf(sourceIds)}`.execute(db)
  return new Map(rows.map(({ from, to }) => [from, to]))
}

/** The next rows of a job whose twins have no copy yet. */
export async function nextUncopied(db: Executor, jobId: number, limit: number): Promise<JobRowRecord[]> {
  const { rows } = await sql<JobRowRecord>`
    select r.row, r.state, r.object_id as "objectId", r.title, r.cells, r.faults from background_job_rows r
    where r.job_id = ${jobId} and r.state = 'waiting'
      and not exists (select from twin_copies c where c.job_id = r.job_id and c.source_id = r.object_id)
    order by r.row limit ${limit}`.execute(db)
  return rows
}

/** Ends statements of the transaction that wait longer than this for a lock. */
export async function limitWaits(tx: Executor, ms: number): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(ms)}`.execute(tx)
}

/** Twins in these scopes, by id. */
export async function listTargets(
  db: Executor,
  scopeIds: readonly number[],
  ids: readonly number[],
): Promise<{ id: number; title: string; accountId: number; scopeId: number }[]> {
  const { rows } = await sql<{ id: number; title: string; accountId: number; scopeId: number }>`
    select t.id, t.title, t.account_id as "accountId", t.scope_id as "scopeId" from twins t
    where t.id = any(${ints(ids)}) and t.category = 'digitalTwin' and ${inScopes(scopeIds)} order by t.id`.execute(
    db,
  )
  return rows
}

/** The copy of a twin; the twin itself if it was not copied. */
export async function findCopyOf(db: Executor, twinId: number, copied: Copied): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select c.copy_id as id from (${copied}) as c where c.source_id = ${twinId}`.execute(db)
  return rows[0]?.id ?? twinId
}
