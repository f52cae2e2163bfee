/** Functions for other features that load no screens and no client, so that plain code and its tests can use them. */
export { emptyState, type StateForm, toForm as toStateForm, toInput as toStateInput } from './states/form.ts'
export { appendPoints, bridgeGaps } from './states/values.ts'
