import { type Level, levels } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import { ints } from './filters.ts'

/** The rank in `levels` of a state `s` with its current value `c`; null without limits. */
const levelRank = sql`
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
