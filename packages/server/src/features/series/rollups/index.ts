import type { RawBuilder } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { announce, type ChangedIds } from '../../../platform/db/notices.ts'
import { changesOf } from './levels.ts'
import { appendChanges } from './store.ts'

export { Roller } from './roller.ts'

/** More ids than this would not fit into a notice. */
const announcedMax = 500

/**
 * Notes values that were replaced or deleted, so that their roll-ups are recomputed and nobody keeps the old ones in memory.
 * Every change of `state_values` but storing new values must call it in the same transaction.
 */
export async function noteChanges(
  tx: Executor,
  values: Iterable<{ stateId: number; time: Date }>,
): Promise<void> {
  const all = [...values]
  if (all.length === 0) return
  for (const statement of changeStatements(all)) await statement.execute(tx)
  const stateIds = [...new Set(all.map(({ stateId }) => stateId))]
  await announceCorrected(tx, stateIds.length > announcedMax ? '*' : stateIds)
}

/** Announces with the commit that past values of states are no longer what they were; `*`: of any state. */
export async function announceCorrected(db: Executor, stateIds: ChangedIds): Promise<void> {
  await announce(db, 'state_values', stateIds)
}

/** The statements of `noteChanges`, for transactions that send their statements themselves. */
export function changeStatements(values: Iterable<{ stateId: number; time: Date }>): RawBuilder<unknown>[] {
  const changes = changesOf(values)
  return changes.length === 0 ? [] : [appendChanges(changes)]
}
