import type { IntervalTrigger } from '@leitstand/contract/rules/triggers/interval'
import type { TriggerDefinition } from '../types.ts'

const hourMs = 3_600_000

/** On full hours since 1970, so that a change of the rule does not move it. */
export const interval: TriggerDefinition<IntervalTrigger> = {
  next: ({ hours }, after) => {
    const everyMs = hours * hourMs
    return new Date((Math.floor(after.getTime() / everyMs) + 1) * everyMs)
  },
}
