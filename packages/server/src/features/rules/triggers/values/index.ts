import { statesOf } from '../../metrics/index.ts'
import { isRelated } from '../../metrics/related/index.ts'
import type { TriggerDefinition } from '../types.ts'

/** Stored values that are the newest of their state. Late values go into the history and wake nothing. */
export const values: TriggerDefinition<{ kind: 'values' }> = {
  states: (_, { metrics }) => statesOf(metrics),
  aliases: (_, { metrics }) => metrics.filter(isRelated).map(({ alias }) => alias),
}
