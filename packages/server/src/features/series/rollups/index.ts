import type { RawBuilder } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { changesOf } from './levels.ts'
import { appendChanges } from './store.ts'

export { Roller } from './roller.ts'

/**
 * Notes that values of these states at these times were stored, replaced or deleted, so that their roll-ups are made
 * anew. Whoever changes `state_values` calls it in the transaction of the change.
 */
export async function noteChanges(
  tx: Executor,
  values: Iterable<{ stateId: number; time: Date }>,
): Promise<void> {
  for (const statement of changeStatements(values)) await statement.execute(tx)
}

/** What `noteChanges` does, for transactions that send their statements themselves. */
export function changeStatements(values: Iterable<{ stateId: number; time: Date }>): RawBuilder<unknown>[] {
  const changes = changesOf(values)
  return changes.length === 0 ? [] : [appendChanges(changes)]
}
