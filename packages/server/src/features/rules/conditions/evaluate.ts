import type { Branch, Condition } from '@leitstand/contract/rules'
import { conditionKind } from './index.ts'
import type { Inputs, Verdict } from './types.ts'

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
 */
export function evaluate(condition: Condition, inputs: Inputs): Branch {
  const walk = (each: Condition): Verdict => conditionKind(each).evaluate(each, inputs, walk)
  return walk(condition).branch
}
