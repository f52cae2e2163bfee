import { statesOf } from '../../metrics/index.ts'
import { isRelated } from '../../metrics/related/index.ts'
import type { TriggerDefinition } from '../types.ts'

/** The runner drops the wake if the values are those that the rule has seen last (`changed.ts`). */
export const changes: TriggerDefinition<{ kind: 'changes' }> = {
  states: (_, { metrics }) => statesOf(metrics),
  aliases: (_, { metrics }) => metrics.filter(isRelated).map(({ alias }) => alias),
}
