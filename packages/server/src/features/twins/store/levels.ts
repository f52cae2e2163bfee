import { type Level, levels } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { inScopes, ints } from './filters.ts'

/** The rank in `levels` of a state `s` with its current value `c`; null without limits. */
export const levelRank = sql`
  case when c.num < s.lower_bound or c.num > s.upper_bound then 2
    when c.num >= s.upper_threshold then 3
    when c.num >= s.lower_threshold then 1
    when c.num is not null and (s.lower_threshold is not null or s.upper_threshold is not null) then 0 end`

// The condition of the index `states_limited`.
const limited = sql<boolean>`(s.lower_bound is not null or s.upper_bound is not null
  or s.lower_threshold is not null or s.upper_threshold is not null)`

/** The worst rank in `levels` of the states of `twins t`, as far as they are in these scopes. */
export function worstRank(stateScopeIds: readonly number[]): RawBuilder<number | null> {
  return sql`(select max(${levelRank}) from states s join state_current c on c.state_id = s.id
    where s.twin_id = t.id and s.scope_id = any(${ints(stateScopeIds)}) and ${limited})`
}

/** Joins `twins t` with that rank as it is kept, `l`, see `LevelKeeper`; the states of a twin are in its scope. */
export function joinKeptRanks(stateScopeIds: readonly number[]): RawBuilder<unknown> {
  return sql`left join twin_levels l on l.twin_id = t.id and t.scope_id = any(${ints(stateScopeIds)})`
}

/** Keeps the ranks of these digital twins, or of all. Two processes take turns, so that the later one sees more. */
export async function keepRanks(db: Executor, twinIds: readonly number[] | '*'): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('twin_levels'))`.execute(tx)
    await (twinIds === '*' ? keepAll(tx) : keepSome(tx, twinIds))
  })
}

async function keepSome(tx: Executor, twinIds: readonly number[]): Promise<void> {
  await sql`
    with ranked as materialized (
      select w.id, (select max(${levelRank}) from states s join state_current c on c.state_id = s.id
        where s.twin_id = w.id and not s.of_device and ${limited}) as rank
      from unnest(${ints(twinIds)}) as w (id)),
    gone as (delete from twin_levels l using ranked r where l.twin_id = r.id and r.rank is null)
    insert into twin_levels as l (twin_id, rank) select id, rank from ranked where rank is not null
    on conflict (twin_id) do update set rank = excluded.rank where l.rank <> excluded.rank`.execute(tx)
}

async function keepAll(tx: Executor): Promise<void> {
  await sql`
    with ranked as materialized (
      select s.twin_id as id, max(${levelRank}) as rank from states s join state_current c on c.state_id = s.id
      where not s.of_device and ${limited} group by s.twin_id having max(${levelRank}) is not null),
    gone as (delete from twin_levels l where not exists (select from ranked r where r.id = l.twin_id))
    insert into twin_levels as l (twin_id, rank) select id, rank from ranked
    on conflict (twin_id) do update set rank = excluded.rank where l.rank <> excluded.rank`.execute(tx)
}

export function levelOfRank(rank: number | null): Level | null {
  return rank === null ? null : (levels[rank] ?? null)
}

/**
 * The worst kept level of each of these twins and of all twins below it. Every twin is looked at once, and each rank goes up
 * once, however the given twins lie above one another.
 * @param scopes of twins the caller may see, and of those whose states the caller may read
 */
export async function readWorstLevels(
  db: Executor,
  scopes: { twins: readonly number[]; states: readonly number[] },
  ids: readonly number[],
): Promise<{ id: number; level: Level | null }[]> {
  const { rows } = await sql<{ id: number; rank: number | null }>`
    with recursive wanted as materialized (
      select t.id from twins t where t.id = any(${ints(ids)}) and t.category = 'digitalTwin' and ${inScopes(scopes.twins)}),
    down as (
      select id from wanted
      union
      select c.id from twins c join down on c.parent_id = down.id where c.category = 'digitalTwin'),
    ranked as materialized (
      select t.id, t.parent_id, l.rank from down join twins t on t.id = down.id join twin_levels l on l.twin_id = t.id
      where t.scope_id = any(${ints(scopes.states)})),
    up as (
      select id, rank from ranked where id in (select id from wanted)
      union
      (select parent_id, max(rank) from ranked where parent_id is not null group by parent_id)
      union
      select p.parent_id, up.rank from up join twins p on p.id = up.id where p.parent_id is not null)
    select wanted.id, max(up.rank) as rank from wanted left join up on up.id = wanted.id group by wanted.id`.execute(
    db,
  )
  return rows.map(({ id, rank }) => ({ id, level: levelOfRank(rank) }))
}
