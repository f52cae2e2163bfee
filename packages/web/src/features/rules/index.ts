export { ConnectorField } from './actions/ConnectorField.tsx'
export { RecipientsField } from './actions/email/RecipientsField.tsx'
export { Weekdays } from './Weekdays.tsx'

import { onDemand } from '../../lib/onDemand.ts'

/** Exports for later features and `app/slots.ts`. */
export { deviceRulesTab, PushSection, twinRulesTab } from './parts.tsx'
export type { RuleStates } from './ruleStates.tsx'
export { ruleSummary } from './summary.ts'

/** Loaded when a rule is opened. */
export const RuleSheet = onDemand(() => import('./RuleSheet.tsx'))
/** Loaded when somebody asks why. */
export const WhyExecution = onDemand(() => import('./WhyExecution.tsx'))
