import type { RawBuilder } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { changesOf } from './levels.ts'
import { appendChanges } from './store.ts'

export { Roller } from './roller.ts'

/**
 * Notes values that were stored, replaced or deleted, so that their roll-ups are recomputed. Every change of
 * `state_values` must call it in the same transaction.
 */
export async function noteChanges(
  tx: Executor,
  values: Iterable<{ stateId: number; time: Date }>,
): Promise<void> {
  for (const statement of changeStatements(values)) await statement.execute(tx)
}

/** The statements of `noteChanges`, for transactions that send their statements themselves. */
export function changeStatements(values: Iterable<{ stateId: number; time: Date }>): RawBuilder<unknown>[] {
  const changes = changesOf(values)
  return changes.length === 0 ? [] : [appendChanges(changes)]
}
