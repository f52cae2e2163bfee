/** Functions for other features that load no screens and no client, so that plain code and its tests can use them. */
export { actionStateKeys, fromTemplateAction, toTemplateAction } from './actions/index.ts'
export { deliverySentence, signOfDelivery } from './deliveries.ts'
export { type DraftSource, newRule, type RuleDraft, toDraft, toRuleInput } from './draft.ts'
export { mailSentence, outcomeGroups, signOfOutcome } from './mailOutcomes.ts'
export { weekdaysText } from './weekdays.ts'
export { detailText } from './words.ts'
