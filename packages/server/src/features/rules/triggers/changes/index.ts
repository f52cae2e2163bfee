import type { TriggerDefinition } from '../types.ts'
import { statesOf } from '../values/index.ts'

/** The runner drops the wake if the values are those that the rule has seen last (`changed.ts`). */
export const changes: TriggerDefinition<{ kind: 'changes' }> = { states: (_, rule) => statesOf(rule) }
