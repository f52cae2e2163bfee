import { lazy } from 'react'

/** Exports for other features: the rules tab of a twin or device, and the sheet of a template's rule. */
export { RulesTab } from './RulesTab.tsx'
export type { RuleStates } from './ruleStates.tsx'
export { ruleSentence } from './words.ts'

/** Loaded when a rule is opened. */
export const RuleSheet = lazy(() =>
  import('./RuleSheet.tsx').then((module) => ({ default: module.RuleSheet })),
)
