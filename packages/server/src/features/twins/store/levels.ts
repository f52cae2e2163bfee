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

/** The worst rank in `levels` of the states of `twins t`, as far as they are in these scopes. */
export function worstRank(stateScopeIds: readonly number[]): RawBuilder<number | null> {
  // The condition on limits is that of the index `states_limited`.
  return sql`(select max(${levelRank}) from states s join state_current c on c.state_id = s.id
    where s.twin_id = t.id and s.scope_id = any(${ints(stateScopeIds)})
      and (s.lower_bound is not null or s.upper_bound is not null
        or s.lower_threshold is not null or s.upper_threshold is not null))`
}

export function levelOfRank(rank: number | null): Level | null {
  return rank === null ? null : (levels[rank] ?? null)
}

/**
 * The worst level of each of these twins and of all twins below it. Every twin is looked at once, and each rank goes up
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
      select t.id, t.parent_id, ${worstRank(scopes.states)} as rank from down join twins t on t.id = down.id),
    up as (
      select id, parent_id, rank from ranked where rank is not null
      union
      select p.id, p.parent_id, up.rank from up join twins p on p.id = up.parent_id)
    select wanted.id, max(up.rank) as rank from wanted left join up on up.id = wanted.id group by wanted.id`.execute(
    db,
  )
  return rows.map(({ id, rank }) => ({ id, level: levelOfRank(rank) }))
}
