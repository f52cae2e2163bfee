import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { type Difference, viewOf } from '../../objects/index.ts'
import type { ScopesByCategory } from '../policy.ts'
import { inScopesByCategory, ints } from './filters.ts'

/** Advisory lock for changes of state links: two concurrent changes could form a loop. */
const linkLock = 7_211_011

/** Waits for other changes of links; holds the lock until the end of the transaction. */
export async function lockLinks(tx: Executor): Promise<void> {
  await sql`select pg_advisory_xact_lock(${linkLock})`.execute(tx)
}

/**
 * The states computed from one, over any number of steps: through computed states, with a list or a query, and through
 * what reads some states and sets others, as rules do.
 */
export async function computedFrom(db: Executor, stateId: number): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    with recursive fed as (
      select ${stateId}::int as id
      union
      select next.id from fed f join lateral (
        select l.state_id as id from state_links l where l.source_state_id = f.id
        union all
        select m.state_id from state_members m where m.source_state_id = f.id
        union all
        select set_by.used_id
        from uses read join uses set_by using (user_kind, user_id)
        where read.used_kind = 'state' and read.used_id = f.id and read.note = 'reads'
          and set_by.used_kind = 'state' and set_by.note = 'sets'
      ) as next on true)
    select id from fed`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Whether computing a state from these sources would create a loop of any length. */
export async function wouldLoop(
  db: Executor,
  stateId: number,
  sourceIds: readonly number[],
): Promise<boolean> {
  const computed = await computedFrom(db, stateId)
  return sourceIds.some((id) => computed.has(id))
}

/** Replaces the source links of states. The caller must have checked for loops under `lockLinks`. */
export async function replaceLinks(
  tx: Executor,
  states: readonly { id: number; sourceIds: readonly number[] }[],
): Promise<void> {
  const pairs = states.flatMap(({ id, sourceIds }) => sourceIds.map((sourceId) => ({ id, sourceId })))
  await sql`
    with wanted as (
      select * from unnest(${ints(pairs.map(({ id }) => id))}, ${ints(pairs.map(({ sourceId }) => sourceId))})
        as n (state_id, source_state_id)),
    gone as (
      delete from state_links where state_id = any(${ints(states.map(({ id }) => id))})
        and (state_id, source_state_id) not in (select * from wanted))
    insert into state_links (state_id, source_state_id) select * from wanted on conflict do nothing`.execute(
    tx,
  )
}

export interface LinkedState {
  stateId: number
  title: string
  twinId: number
  twinTitle: string
}

/** Visible states computed from this one, at most 1 000. */
export async function listLinked(
  db: Executor,
  stateId: number,
  scopes: ScopesByCategory,
): Promise<LinkedState[]> {
  const { rows } = await sql<LinkedState>`
    select s.id as "stateId", s.title, t.id as "twinId", t.title as "twinTitle"
    from ${viewOf('stateLinks')} l join states s on s.id = l.state_id join twins t on t.id = s.twin_id
    where l.source_state_id = ${stateId} and ${inScopesByCategory(scopes)}
    order by t.title collate natural_order, s.title collate natural_order, s.id limit 1000`.execute(db)
  return rows
}

/** Whether any state is computed from this one. */
export async function isLinked(db: Executor, stateId: number): Promise<boolean> {
  const row = await db
    .selectFrom('state_links')
    .select('state_id')
    .where('source_state_id', '=', stateId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Links without a matching state setting, and settings without a link. */
export async function findWrongLinks(db: Executor, limit: number): Promise<Difference[]> {
  const { rows } = await sql<{ problem: Difference['problem']; id: number; used: number }>`
    with defined as (
      select s.id, (e #>> '{}')::int as used from states s, jsonb_array_elements(s.source_settings -> 'stateIds') as e
      where jsonb_typeof(s.source_settings -> 'stateIds') = 'array')
    select case when l.state_id is null then 'missing' else 'stale' end as problem,
      coalesce(d.id, l.state_id) as id, coalesce(d.used, l.source_state_id) as used
    from defined d full join state_links l on l.state_id = d.id and l.source_state_id = d.used
    where d.id is null or l.state_id is null
    order by id, used limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, user: 'state', kind: 'state', note: 'source' }))
}
