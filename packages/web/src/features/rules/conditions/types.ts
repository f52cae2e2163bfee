import type { Condition, Operand } from '@leitstand/contract/rules'

export type Comparison = Extract<Condition, { left: Operand }>
export type ComparisonOp = Comparison['op']

/** Words for condition sentences; the screens take them from the locale files. */
export interface Words {
  /** a locale text by its key */
  text(key: string, values?: Record<string, string>): string
  compare(op: ComparisonOp, left: string, right: string): string
  /** the same for a past evaluation: "war größer als", "war nicht größer als" */
  compareWas(op: ComparisonOp, left: string, right: string): string
  compareNot(op: ComparisonOp, left: string, right: string): string
  operand(operand: Operand): string
  /** a metric with the value it had: "Temperatur (31,2 °C)" */
  valued(operand: Operand | undefined, value: unknown): string
}

/**
 * One kind of condition: a folder next to this file. Its name is `rules.groups.<op>` or
 * `rules.operators.<op>`.
 */
export interface ConditionKind<C extends Condition> {
  /** how the builder shows it: a box that contains others, or two operands with an operator between them */
  readonly look: 'group' | 'comparison'
  /** the kind of list offered inside it; absent: it takes no more conditions */
  readonly nested?: 'and' | 'or'
  /** text keys shown before each of its conditions */
  readonly leads?: readonly string[]
  /** text key of the action that wraps a comparison in it */
  readonly wrap?: string
  /** Its child conditions, in order. */
  children(condition: C): readonly Condition[]
  /** A copy with other children, possibly fewer; null: nothing is left. */
  withChildren(condition: C, children: readonly Condition[]): Condition | null
  /** Converts a condition of another kind that contains `inner` (or is `inner` itself). */
  convert(from: Condition, inner: readonly Condition[], fresh: Comparison): Condition
  /** In words. `inner` converts a child into words; `nested`: it is inside another. */
  sentence(condition: C, words: Words, inner: (condition: Condition) => string, nested: boolean): string
  /** The children that decided the result. */
  decided<T extends { met: boolean }>(children: readonly T[], met: boolean): readonly T[]
}
