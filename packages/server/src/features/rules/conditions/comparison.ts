import type { JsonValue } from '@leitstand/contract/common'
import type { Condition, Operand } from '@leitstand/contract/rules'
import type { Answer, ConditionKind, Inputs } from './types.ts'

type Comparison = Extract<Condition, { left: Operand }>

export interface ComparisonKind extends ConditionKind<Comparison> {
  /** Compares two values; null is unknown. */
  compare(a: JsonValue, b: JsonValue): Answer
}

interface Comparing {
  numbers(x: number, y: number): boolean
  /** compares two values that are present and not both numbers; absent: they cannot be compared */
  others?(a: JsonValue, b: JsonValue): Answer
  /** a constant null tests whether a value is missing */
  asksForNothing?: true
}

/** A kind that compares two operands. */
export function comparison({ numbers, others, asksForNothing }: Comparing): ComparisonKind {
  const compare = (a: JsonValue, b: JsonValue): Answer => {
    if (a === null || b === null) return null
    const both = asNumbers(a, b)
    return both === null ? (others?.(a, b) ?? null) : numbers(...both)
  }
  return {
    compare,
    conditions: () => [],
    operands: ({ left, right }) => [
      { path: ['left'], part: left },
      { path: ['right'], part: right },
    ],
    evaluate({ op, left, right }, inputs) {
      const a = operandValue(left, inputs)
      const b = operandValue(right, inputs)
      const isAsked = asksForNothing === true && (isNullConstant(left) || isNullConstant(right))
      const answer = isAsked ? a === null && b === null : compare(a, b)
      return { answer, branch: { op, met: answer === true, left: a, right: b } }
    },
  }
}

/** Both as numbers when at least one is a number and the other can be converted. */
function asNumbers(a: JsonValue, b: JsonValue): [number, number] | null {
  if (typeof a !== 'number' && typeof b !== 'number') return null
  const x = typeof a === 'boolean' ? Number(a) : a
  const y = typeof b === 'boolean' ? Number(b) : b
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : null
}

function isNullConstant(operand: Operand): boolean {
  return 'value' in operand && operand.value === null
}

/** Value of one side: a constant or a metric; null when there is none. */
export function operandValue(operand: Operand, inputs: Inputs): JsonValue {
  if ('value' in operand) return operand.value
  return Object.hasOwn(inputs, operand.metric) ? (inputs[operand.metric] ?? null) : null
}
