import type { Condition, RuleConditions, ScriptCondition } from '@leitstand/contract/rules'

export function isScript(conditions: RuleConditions): conditions is ScriptCondition {
  return conditions.op === 'script'
}

/** The tree of a rule; null: it has a script instead, or no conditions are known. */
export function treeOf(conditions: RuleConditions | null | undefined): Condition | null {
  return conditions && !isScript(conditions) ? conditions : null
}
