import type { TFunction } from 'i18next'
import {
  actionStateKeys,
  type DraftSource,
  fromTemplateAction,
  newRule,
  type RuleDraft,
  toDraft,
  toRuleInput,
  toTemplateAction,
} from '../rules/pure.ts'
import type { TemplateRule, TemplateState } from './queries.ts'
import { stateKey, stateNumber } from './states.ts'

type States = readonly Pick<TemplateState, 'key'>[]

/** A template's rule with state numbers instead of keys, as rule sheets need them. */
function numbered(rule: TemplateRule, states: States): DraftSource {
  return {
    ...rule,
    metrics: rule.metrics.map((each) => {
      if (!('stateKey' in each)) return each
      const { stateKey: key, ...metric } = each
      return { ...metric, stateId: stateNumber(key, states) }
    }),
    actions: rule.actions.map((action) => fromTemplateAction(action, (key) => stateNumber(key, states))),
  }
}

export function newRuleDraft(
  t: TFunction,
  states: readonly Pick<TemplateState, 'key' | 'valueType'>[],
): RuleDraft {
  return newRule(
    t,
    states.map(({ key, valueType }) => ({ id: stateNumber(key, states), key, valueType })),
  )
}

/** The rule as the sheet edits it; a state that no longer exists has to be selected again. */
export function toRuleDraft(rule: TemplateRule, states: States): RuleDraft {
  const draft = toDraft(numbered(rule, states))
  return {
    ...draft,
    metrics: draft.metrics.map((metric) => ({ ...metric, stateId: metric.stateId || null })),
  }
}

/** The draft as a rule of the template. */
export function fromRuleDraft(draft: RuleDraft, states: States): TemplateRule {
  const { triggers, metrics, actions, many: _many, ...rule } = toRuleInput(draft)
  return {
    ...rule,
    // The sheet of a template offers nothing outside of it.
    triggers: triggers.filter((trigger) => trigger.kind !== 'rule' && trigger.kind !== 'geofence'),
    metrics: metrics.flatMap((each): TemplateRule['metrics'] => {
      if (each.operation === 'related') return []
      if (!('stateId' in each)) return [each]
      const { stateId, ...metric } = each
      return [{ ...metric, stateKey: stateKey(stateId, states) }]
    }),
    actions: actions.map((action) => toTemplateAction(action, (number) => stateKey(number, states))),
  }
}

/** Keys used in a rule that have no state. */
export function missingKeys(rule: TemplateRule, states: States): string[] {
  const named = [
    ...rule.metrics.flatMap((metric) => ('stateKey' in metric ? [metric.stateKey] : [])),
    ...rule.actions.flatMap(actionStateKeys),
  ]
  return [...new Set(named)].filter((key) => stateNumber(key, states) === 0)
}
