import type { Comparison, ComparisonOp, ConditionKind } from './types.ts'

/** A kind that compares two operands. */
export function comparison(op: ComparisonOp): ConditionKind<Comparison> {
  return {
    look: 'comparison',
    children: () => [],
    withChildren: (condition) => condition,
    operands: ({ left, right }) => [left, right],
    withOperands: (condition, [left, right]) => (left && right ? { ...condition, left, right } : condition),
    convert(from, _, fresh) {
      if ('left' in from) return { ...from, op }
      return 'input' in from ? { op, left: from.input, right: { value: from.limit } } : { ...fresh, op }
    },
    sentence: ({ left, right }, words) => words.compare(op, words.operand(left), words.operand(right)),
    decided: () => [],
  }
}
