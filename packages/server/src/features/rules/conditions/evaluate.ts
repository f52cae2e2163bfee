import type { Branch, Condition } from '@leitstand/contract/rules'
import { conditionKind } from './index.ts'
import type { Inputs, Verdict } from './types.ts'

/**
 * Evaluates a condition tree: for every node whether it is met, with the values that were compared.
 *
 * A comparison:
 * - numbers are compared as numbers; against a number, true counts as 1 and false as 0
 * - texts and booleans know only `eq`, exactly as they are; a text is never turned into a number
 * - a missing value makes the answer unknown, and so does comparing what cannot be compared. Unknown is never met, not
 *   even below `not`: a sensor that says nothing does not count as "not above 30"
 * - only `eq` with a constant null asks for a missing value itself (of metrics that do not abort the rule)
 *
 * `and` and `or` look at every child, so that the branch answers "why?" completely; `when` is met when its condition is
 * not met or when `implies` is.
 */
export function evaluate(condition: Condition, inputs: Inputs): Branch {
  const walk = (each: Condition): Verdict => conditionKind(each).evaluate(each, inputs, walk)
  return walk(condition).branch
}
