import type { HealthTrigger } from '@leitstand/contract/rules/triggers/health'
import type { TriggerDefinition } from '../types.ts'

export const health: TriggerDefinition<HealthTrigger> = {
  watches: ({ below }, id) => [{ kind: 'health', id, below }],
}

/** Whether an entry of the health that went from one level to another wakes the rule. */
export function isWokenByHealth(
  { on }: Pick<HealthTrigger, 'on'>,
  { from, to }: { from: number; to: number },
): boolean {
  return on === 'both' || (on === 'worse' ? to > from : to < from)
}
