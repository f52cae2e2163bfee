import type { Comparison, ComparisonOp, ConditionKind } from './types.ts'

/** A kind that compares two operands. */
export function comparison(op: ComparisonOp): ConditionKind<Comparison> {
  return {
    look: 'comparison',
    children: () => [],
    withChildren: (condition) => condition,
    convert: (from, _, fresh) => ('left' in from ? { ...from, op } : { ...fresh, op }),
    sentence: ({ left, right }, words) => words.compare(op, words.operand(left), words.operand(right)),
    decided: () => [],
  }
}
