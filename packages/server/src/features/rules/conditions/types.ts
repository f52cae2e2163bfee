import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, Condition, Operand } from '@leitstand/contract/rules'
import type { Issue } from '../types.ts'

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

/** The evaluation from the view of one condition that remembers something. */
export interface Recollection {
  /** time of the evaluation */
  at: Date
  /** no new value: something only waited for time to pass */
  recheck: boolean
  /** what it kept the last time; undefined: nothing */
  past: JsonValue | undefined
  /** Keeps this until the next time. Without a call nothing is kept. */
  keep(entry: JsonValue): void
  /** Asks to be evaluated again at this time, whether or not there is a new value. */
  wakeAt(due: Date): void
}

/** One kind of condition: a folder next to this file. */
export interface ConditionKind<C extends Condition> {
  /** Nested conditions. Each path has two entries. */
  conditions(condition: C): Part<Condition>[]
  operands(condition: C): Part<Operand>[]
  /** Problems with its own fields. Paths are below the condition. */
  check?(condition: C): Issue[]
  /**
   * The part of the definition that resets its memory when it changes, besides the metrics. Absent: it remembers
   * nothing.
   */
  remembers?(condition: C): unknown
  /** Pure. `inner` evaluates a nested condition. */
  evaluate(
    condition: C,
    inputs: Inputs,
    inner: (condition: Condition) => Verdict,
    memory: Recollection,
  ): Verdict
}
