import type { AlarmTrigger } from '@leitstand/contract/rules/triggers/alarm'
import type { TriggerDefinition } from '../types.ts'

export const alarm: TriggerDefinition<AlarmTrigger> = {
  watches: ({ below }, id) => [{ kind: 'alarm', id, below }],
}

/** Whether an alarm that was raised or resolved wakes the rule. */
export function isWokenByAlarm(
  { on }: Pick<AlarmTrigger, 'on'>,
  { resolved }: { resolved: boolean },
): boolean {
  return on === 'both' || (on === 'resolved') === resolved
}
