/** Functions for other features that load no screens and no client, so that plain code and its tests can use them. */
export { actionStateKeys, fromTemplateAction, toTemplateAction } from './actions/index.ts'
export { type DraftSource, newRule, type RuleDraft, toDraft, toRuleInput } from './draft.ts'
