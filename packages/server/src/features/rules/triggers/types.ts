import type { Metric, RuleTrigger, TriggerKind } from '@leitstand/contract/rules'
import type { GeofenceTrigger } from '@leitstand/contract/rules/triggers/geofence'
import type { Use } from '../../../platform/uses.ts'
import type { Issue } from '../types.ts'

/** The part of a rule that its triggers refer to. */
export interface TriggeredRule {
  metrics: readonly Metric[]
}

/** Something other than a state that wakes a rule. */
export interface Watch {
  kind: 'alarm' | 'health' | 'rule'
  /** a twin, or a rule */
  id: number
  /** also of twins below it */
  below: boolean
}

/** The silence of a state that wakes a rule. */
export interface Silence {
  stateId: number
  /** how long it may be silent */
  ms: number
}

/** One kind of trigger: a folder next to this file. */
export interface TriggerDefinition<T extends RuleTrigger> {
  /** Problems that can be found without the database. Paths are below the trigger. */
  check?(trigger: T, rule: TriggeredRule): Issue[]
  /** States whose values wake the rule. */
  states?(trigger: T, rule: TriggeredRule): number[]
  /** Metrics, by alias, that name states by key whose values wake the rule. */
  aliases?(trigger: T, rule: TriggeredRule): string[]
  /** What else wakes the rule of this twin. */
  watches?(trigger: T, twinId: number): Watch[]
  silence?(trigger: T, rule: TriggeredRule): Silence | null
  /** The silence of a state that a metric names by key. */
  silenceOf?(trigger: T, rule: TriggeredRule): { alias: string; ms: number } | null
  /** The area that twins cross to wake the rule. */
  fence?(trigger: T): GeofenceTrigger
  /** What it refers to outside of its rule, apart from rules. */
  uses?(trigger: T): Use[]
  /** Pure. The first time after `after` at which it wakes the rule; null: never again. */
  next?(trigger: T, after: Date, timeZone: string): Date | null
}

export type TriggerDefinitions = {
  readonly [K in TriggerKind]: TriggerDefinition<Extract<RuleTrigger, { kind: K }>>
}
