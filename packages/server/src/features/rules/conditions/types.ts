import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, Condition, Operand } from '@leitstand/contract/rules'

/** Values of a rule's metrics by alias; null where there is none. */
export type Inputs = Readonly<Record<string, JsonValue>>

/** Met, not met, or unknown because a value is missing or the two cannot be compared. */
export type Answer = boolean | null

/** The result of a condition, with the tree that explains it. */
export interface Verdict {
  answer: Answer
  branch: Branch
}

/** A nested item with its path. */
export interface Part<T> {
  path: string[]
  part: T
}

/** One kind of condition: a folder next to this file. */
export interface ConditionKind<C extends Condition> {
  /** Nested conditions. Each path has two entries. */
  conditions(condition: C): Part<Condition>[]
  operands(condition: C): Part<Operand>[]
  /** Pure. `inner` evaluates a nested condition. */
  evaluate(condition: C, inputs: Inputs, inner: (condition: Condition) => Verdict): Verdict
}
