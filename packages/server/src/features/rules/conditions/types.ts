import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, Condition, Operand } from '@leitstand/contract/rules'

/** Values of a rule's metrics by alias; null where there is none. */
export type Inputs = Readonly<Record<string, JsonValue>>

/** Met, not met, or unknown because a value is missing or the two cannot be compared. */
export type Answer = boolean | null

/** The answer of a condition, with the tree that explains it. */
export interface Verdict {
  answer: Answer
  branch: Branch
}

/** Something within a condition, and where it is. */
export interface Part<T> {
  path: string[]
  part: T
}

/** One kind of condition: a folder beside this file. */
export interface ConditionKind<C extends Condition> {
  /** Conditions within it. Each path has two entries. */
  conditions(condition: C): Part<Condition>[]
  operands(condition: C): Part<Operand>[]
  /** Pure. `inner` evaluates a condition within it. */
  evaluate(condition: C, inputs: Inputs, inner: (condition: Condition) => Verdict): Verdict
}
