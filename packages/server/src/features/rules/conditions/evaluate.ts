import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, Condition, Metric } from '@leitstand/contract/rules'
import { conditionKind } from './index.ts'
import { memoryKey } from './memory.ts'
import type { Inputs, Recollection, Verdict } from './types.ts'

/** What the conditions of a rule remember between evaluations, by the key of the condition. */
export type Memory = Readonly<Record<string, JsonValue>>

export const noMemory: Memory = {}

/** The rule and the moment of an evaluation. */
export interface Occasion {
  /** part of the key of a memory: a change of a metric resets the conditions that use it */
  metrics: readonly Metric[]
  at: Date
  /** no new value: something only waited for time to pass */
  recheck: boolean
  memory: Memory
}

export interface Evaluation {
  branch: Branch
  /** only of the conditions of this tree: what others have left is dropped */
  memory: Memory
  /** when to evaluate again without a new value; null: not needed */
  dueAt: Date | null
}

/**
 * Evaluates a condition tree: for every node whether it is met, with the values that were compared.
 *
 * A comparison:
 * - numbers are compared as numbers; against a number, true counts as 1 and false as 0
 * - texts and booleans support only `eq`, compared exactly; a text is never converted to a number
 * - a missing value makes the result unknown, and so do values that cannot be compared. Unknown is never met,
 *   not even under `not`: a sensor without a value does not count as "not above 30"
 * - only `eq` with a constant null tests for a missing value itself (of metrics that do not abort the rule)
 *
 * `and` and `or` evaluate every child, so that the branch fully explains the result; `when` is met when its
 * condition is not met or when `implies` is.
 *
 * What looks back at earlier evaluations is pure, too: its memory is an argument and part of the result.
 * - `hysteresis` stays as it was while the value is missing, but is unknown until there is one
 * - `for` is reset when its condition is not met or unknown
 * - `times` counts unknown answers among the last ones, but not as met; if they could make the difference, it is
 *   unknown. An evaluation without a new value does not count
 */
export function evaluate(condition: Condition, inputs: Inputs, occasion: Occasion): Evaluation {
  const { metrics, at, recheck } = occasion
  const memory: Record<string, JsonValue> = {}
  let dueAt: Date | null = null
  const wakeAt = (due: Date): void => {
    if (dueAt === null || due < dueAt) dueAt = due
  }
  const recollect = (each: Condition): Recollection => {
    const key = memoryKey(each, metrics)
    const keep = (entry: JsonValue): void => {
      if (key !== null) memory[key] = entry
    }
    return { at, recheck, past: key === null ? undefined : occasion.memory[key], keep, wakeAt }
  }
  const walk = (each: Condition): Verdict => conditionKind(each).evaluate(each, inputs, walk, recollect(each))
  const { branch } = walk(condition)
  return { branch, memory, dueAt }
}
