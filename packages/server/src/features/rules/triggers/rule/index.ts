import type { RuleStateTrigger } from '@leitstand/contract/rules/triggers/rule'
import type { RuleResult } from '../../step.ts'
import type { TriggerDefinition } from '../types.ts'

export const rule: TriggerDefinition<RuleStateTrigger> = {
  watches: ({ ruleId: id }) => [{ kind: 'rule', id, below: false }],
}

/** Whether the conditions were met, as far as a result tells; null: it does not. */
function isMet(result: RuleResult | null): boolean | null {
  if (result === 'fired' || result === 'throttled') return true
  return result === 'not_met' ? false : null
}

/**
 * Whether an evaluation of the watched rule wakes the rule.
 * @param before the result of the last evaluation before; null: there was none
 */
export function isWokenByRule(
  { on }: Pick<RuleStateTrigger, 'on'>,
  before: RuleResult | null,
  result: RuleResult,
): boolean {
  if (on === 'fired') return result === 'fired'
  const now = isMet(result)
  return now === (on === 'met') && isMet(before) !== now
}
