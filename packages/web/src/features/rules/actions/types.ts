import type { RuleAction, TemplateRuleAction } from '@leitstand/contract/rules'
import type { ComponentType } from 'react'
import type { IconType } from '../../../ui/display/Icon.tsx'
import type { MetricDraft } from '../draft.ts'
import type { RuleStates } from '../ruleStates.tsx'

/** What is wrong with an action: a field, '' for the action as a whole, and a key below `rules.faults`. */
export interface ActionFault {
  field: string
  key: string
  name?: string
}

/** What an action is checked against. */
export interface FaultContext {
  metrics: readonly MetricDraft[]
  /** kinds of the actions before it */
  earlier: readonly RuleAction['kind'][]
}

export interface FormProps<D> {
  /** absent: a rule that is not stored yet */
  ruleId: number | undefined
  action: D
  states: RuleStates
  aliases: readonly string[]
  /** '' asks for the fault of the action as a whole */
  faultAt: (field: string) => string | null
  onChange: (action: D) => void
}

/**
 * One kind of action: a folder beside this file. `D` is the action while it is edited. Its name is
 * `rules.kinds.<kind>`.
 */
export interface ActionKind<A extends RuleAction, T extends TemplateRuleAction, D> {
  readonly icon: IconType
  /** most of them in a rule */
  readonly max: number
  /** A new one. `text` gives a text of the locale files by its key, placeholders filled in. */
  create(text: (key: string) => string): D
  toDraft(action: A): D
  /** What the server takes; null while something is missing. */
  fromDraft(draft: D): A | null
  /** What is wrong with it; the server checks the same. */
  faults(draft: D, context: FaultContext): ActionFault[]
  /** As a template holds it, with keys of states in place of their numbers. */
  toTemplate(action: A, keyOf: (state: number) => string): T
  fromTemplate(action: T, numberOf: (key: string) => number): A
  /** Keys of the states a template's action names. */
  stateKeys(action: T): string[]
  /** fetched when it is shown */
  readonly Form: ComponentType<FormProps<D>>
}
