import type { TriggerDefinition, TriggeredRule } from '../types.ts'

/** Stored values that are the newest of their state. Late values go into the history and wake nothing. */
export const values: TriggerDefinition<{ kind: 'values' }> = { states: (_, rule) => statesOf(rule) }

export function statesOf({ metrics }: TriggeredRule): number[] {
  return metrics.map(({ stateId }) => stateId)
}
