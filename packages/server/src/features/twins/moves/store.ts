import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { inScopes, ints } from '../store/filters.ts'

export interface MovedTwin {
  twinId: number
  scopeId: number
  latitude: number
  longitude: number
  /** those of the roots that it is, or that are above it */
  above: number[]
}

/** The positions of twins, with the roots to which they belong. */
export async function readMoved(
  db: Executor,
  ids: readonly number[],
  roots: readonly number[],
): Promise<MovedTwin[]> {
  const { rows } = await sql<MovedTwin>`
    with recursive up as (
      select t.id as moved, t.id, t.parent_id from twins t
      where t.id = any(${ints(ids)}) and t.category = 'digitalTwin' and t.latitude is not null and t.longitude is not null
      union all
      select up.moved, p.id, p.parent_id from up join twins p on p.id = up.parent_id)
    select t.id as "twinId", t.scope_id as "scopeId", t.latitude, t.longitude,
      coalesce(array_agg(up.id) filter (where up.id = any(${ints(roots)})), '{}') as above
    from up join twins t on t.id = up.moved group by t.id`.execute(db)
  return rows
}

export async function seesTwin(db: Executor, scopeIds: readonly number[], id: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from twins t where t.id = ${id} and t.category = 'digitalTwin' and ${inScopes(scopeIds)}`.execute(
    db,
  )
  return rows.length > 0
}
