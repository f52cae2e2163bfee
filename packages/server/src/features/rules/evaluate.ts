import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, Condition, Operand } from '@leitstand/contract/rules'

/** Values of a rule's metrics by alias; null where there is none. */
export type Inputs = Readonly<Record<string, JsonValue>>

/** Met, not met, or unknown because a value is missing or the two cannot be compared. */
type Answer = boolean | null

/**
 * Walks a condition tree and tells for every node whether it is met, with the values that were compared.
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
  return walk(condition, inputs).branch
}

function walk(condition: Condition, inputs: Inputs): { answer: Answer; branch: Branch } {
  switch (condition.op) {
    case 'and':
    case 'or':
      return join(condition.op, condition.conditions, inputs)
    case 'not': {
      const inner = walk(condition.condition, inputs)
      return node('not', invert(inner.answer), [inner.branch])
    }
    case 'when': {
      const premise = walk(condition.condition, inputs)
      const conclusion = walk(condition.implies, inputs)
      return node('when', or([invert(premise.answer), conclusion.answer]), [
        premise.branch,
        conclusion.branch,
      ])
    }
    default:
      return compareNode(condition, inputs)
  }
}

function join(op: 'and' | 'or', conditions: readonly Condition[], inputs: Inputs) {
  const children = conditions.map((child) => walk(child, inputs))
  const answers = children.map(({ answer }) => answer)
  return node(
    op,
    op === 'and' ? and(answers) : or(answers),
    children.map(({ branch }) => branch),
  )
}

function node(op: string, answer: Answer, children: Branch[]): { answer: Answer; branch: Branch } {
  return { answer, branch: { op, met: answer === true, children } }
}

type Comparison = Extract<Condition, { left: Operand }>

function compareNode({ op, left, right }: Comparison, inputs: Inputs): { answer: Answer; branch: Branch } {
  const a = operandValue(left, inputs)
  const b = operandValue(right, inputs)
  const asksForNothing = op === 'eq' && (isNullConstant(left) || isNullConstant(right))
  const answer = asksForNothing ? a === null && b === null : compare(op, a, b)
  return { answer, branch: { op, met: answer === true, left: a, right: b } }
}

/** Answers one comparison by the rules of `evaluate`; null is unknown. */
export function compare(op: Comparison['op'], a: JsonValue, b: JsonValue): Answer {
  if (a === null || b === null) return null
  const numbers = asNumbers(a, b)
  if (numbers !== null) {
    const [x, y] = numbers
    switch (op) {
      case 'eq':
        return x === y
      case 'lt':
        return x < y
      case 'gt':
        return x > y
      case 'lte':
        return x <= y
      case 'gte':
        return x >= y
    }
  }
  if (op !== 'eq' || typeof a !== typeof b || typeof a === 'object') return null
  return a === b
}

/** Both as numbers when at least one is a number and the other can be counted. */
function asNumbers(a: JsonValue, b: JsonValue): [number, number] | null {
  if (typeof a !== 'number' && typeof b !== 'number') return null
  const x = typeof a === 'boolean' ? Number(a) : a
  const y = typeof b === 'boolean' ? Number(b) : b
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : null
}

function isNullConstant(operand: Operand): boolean {
  return 'value' in operand && operand.value === null
}

/** Value of one side: a constant, or that of a metric; null when there is none. */
export function operandValue(operand: Operand, inputs: Inputs): JsonValue {
  if ('value' in operand) return operand.value
  return Object.hasOwn(inputs, operand.metric) ? (inputs[operand.metric] ?? null) : null
}

function invert(answer: Answer): Answer {
  return answer === null ? null : !answer
}

function and(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}

function or(answers: readonly Answer[]): Answer {
  if (answers.includes(true)) return true
  return answers.includes(null) ? null : false
}
