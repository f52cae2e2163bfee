import { type DraftSource, type RuleDraft, toDraft, toRuleInput } from '../rules/draft.ts'
import type { TemplateRule, TemplateState } from './queries.ts'
import { stateKey, stateNumber } from './states.ts'

type States = readonly Pick<TemplateState, 'key'>[]

/** A rule of a template with numbers of states in place of their keys, as sheets of rules know them. */
function numbered(rule: TemplateRule, states: States): DraftSource {
  return {
    ...rule,
    metrics: rule.metrics.map(({ stateKey: key, ...metric }) => ({
      ...metric,
      stateId: stateNumber(key, states),
    })),
    actions: rule.actions.map((action) => {
      if (action.kind !== 'set-state') return action
      const { stateKey: key, ...rest } = action
      return { ...rest, stateId: stateNumber(key, states) }
    }),
  }
}

/** The rule as the sheet edits it; a state that is no longer there has to be chosen anew. */
export function toRuleDraft(rule: TemplateRule, states: States): RuleDraft {
  const draft = toDraft(numbered(rule, states))
  return {
    ...draft,
    metrics: draft.metrics.map((metric) => ({ ...metric, stateId: metric.stateId || null })),
    actions: draft.actions.map((action) =>
      action.kind === 'set-state' ? { ...action, stateId: action.stateId || null } : action,
    ),
  }
}

/** The draft as a rule of the template. */
export function fromRuleDraft(draft: RuleDraft, states: States): TemplateRule {
  const { metrics, actions, ...rule } = toRuleInput(draft)
  return {
    ...rule,
    metrics: metrics.map(({ stateId, ...metric }) => ({ ...metric, stateKey: stateKey(stateId, states) })),
    actions: actions.map((action) => {
      if (action.kind !== 'set-state') return action
      const { stateId, ...rest } = action
      return { ...rest, stateKey: stateKey(stateId, states) }
    }),
  }
}

/** Keys a rule names that are not among the states. */
export function missingKeys(rule: TemplateRule, states: States): string[] {
  const named = [
    ...rule.metrics.map((metric) => metric.stateKey),
    ...rule.actions.flatMap((action) => (action.kind === 'set-state' ? [action.stateKey] : [])),
  ]
  return [...new Set(named)].filter((key) => stateNumber(key, states) === 0)
}
