import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { findRecorded } from '../../objects/index.ts'
import { ints } from './filters.ts'

/** The states nothing else uses, in order; these can be deleted. The caller must hold `lockLinks`. */
export async function findUnusedStates(db: Executor, stateIds: readonly number[]): Promise<number[]> {
  let unused = [...stateIds]
  // A state that is kept also keeps its sources.
  for (;;) {
    const used = unused.length === 0 ? new Set() : await findUsedStates(db, unused)
    if (used.size === 0) return unused
    unused = unused.filter((id) => !used.has(id))
  }
}

/** The states used by anything outside the given set. */
async function findUsedStates(db: Executor, stateIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    with wanted as (select unnest(${ints(stateIds)}) as id)
    select l.source_state_id as id from wanted join state_links l on l.source_state_id = wanted.id
    where l.state_id not in (select id from wanted)`.execute(db)
  const recorded = await findRecorded(db, 'state', stateIds)
  return new Set([...recorded, ...rows.map(({ id }) => id)])
}

/** Whether states of other twins are computed from this twin's states. */
export async function hasForeignAggregates(db: Executor, twinId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from states own
      join state_links l on l.source_state_id = own.id
      join states s on s.id = l.state_id
      where own.twin_id = ${twinId} and s.twin_id <> ${twinId}) as found`.execute(db)
  return rows[0]?.found ?? false
}

/** Whether a twin has children. */
export async function hasChildren(db: Executor, twinId: number): Promise<boolean> {
  const row = await db
    .selectFrom('twins')
    .select('id')
    .where('parent_id', '=', twinId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
