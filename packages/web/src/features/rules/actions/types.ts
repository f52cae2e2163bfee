import type { RuleAction, TemplateRuleAction } from '@leitstand/contract/rules'
import type { AlarmAction } from '@leitstand/contract/rules/actions/alarm'
import type { ComponentType } from 'react'
import type { IconType } from '../../../ui/display/Icon.tsx'
import type { MetricDraft } from '../draft.ts'
import type { RuleStates } from '../ruleStates.tsx'

/** An error of an action: a field, or '' for the whole action, and a key below `rules.faults`. */
export interface ActionFault {
  field: string
  key: string
  name?: string
}

/** Context for validating an action. */
export interface FaultContext {
  metrics: readonly MetricDraft[]
  /** kinds of the actions before it */
  earlier: readonly RuleAction['kind'][]
}

export interface FormProps<D> {
  /** absent: a new rule */
  ruleId: number | undefined
  accountId: number
  /** the twin or device of the rule; absent: a template */
  objectId: number | undefined
  action: D
  states: RuleStates
  aliases: readonly string[]
  /** the metrics whose values a chart can show */
  charted: readonly string[]
  /** the category of an alarm while none is chosen */
  fitting: NonNullable<AlarmAction['category']>
  /** '' returns the error of the whole action */
  faultAt: (field: string) => string | null
  onChange: (action: D) => void
}

/**
 * One kind of action: a folder next to this file. `D` is its draft type. Its name is `rules.kinds.<kind>`.
 */
export interface ActionKind<A extends RuleAction, T extends TemplateRuleAction, D> {
  readonly icon: IconType
  /** it sends something, which can be tested */
  readonly isTestable: boolean
  /** maximum per rule */
  readonly max: number
  /** Creates a new one. `text` returns a locale text by its key, placeholders filled in. */
  create(text: (key: string) => string): D
  toDraft(action: A): D
  /** Converts to API input; null while incomplete. */
  fromDraft(draft: D): A | null
  /** Validation errors; the server runs the same checks. */
  faults(draft: D, context: FaultContext): ActionFault[]
  /** Converts to a template's action, with state keys instead of numbers. */
  toTemplate(action: A, keyOf: (state: number) => string): T
  fromTemplate(action: T, numberOf: (key: string) => number): A
  /** Keys of the states a template's action refers to. */
  stateKeys(action: T): string[]
  /** loaded when it is shown */
  readonly Form: ComponentType<FormProps<D>>
}
