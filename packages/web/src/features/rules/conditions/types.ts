import type { Condition, Operand } from '@leitstand/contract/rules'

export type Comparison = Extract<Condition, { left: Operand }>
export type ComparisonOp = Comparison['op']

/** Words a sentence is made of; the screens take them from the locale files. */
export interface Words {
  /** a text of the locale files by its key */
  text(key: string, values?: Record<string, string>): string
  compare(op: ComparisonOp, left: string, right: string): string
  /** the same of a past evaluation: "war größer als", "war nicht größer als" */
  compareWas(op: ComparisonOp, left: string, right: string): string
  compareNot(op: ComparisonOp, left: string, right: string): string
  operand(operand: Operand): string
  /** a metric with the value it had: "Temperatur (31,2 °C)" */
  valued(operand: Operand | undefined, value: unknown): string
}

/** One kind of condition: a folder beside this file. Its name is `rules.groups.<op>` or `rules.operators.<op>`. */
export interface ConditionKind<C extends Condition> {
  /** how the builder shows it: a box with others in it, or two operands with an operator between them */
  readonly look: 'group' | 'comparison'
  /** the kind of list that is offered within it; absent: it takes no more conditions */
  readonly nested?: 'and' | 'or'
  /** texts before the conditions in it, by their keys */
  readonly leads?: readonly string[]
  /** text of the action that puts a comparison into it, by its key */
  readonly wrap?: string
  /** Conditions in it, in their order. */
  children(condition: C): readonly Condition[]
  /** With other conditions in it, perhaps fewer; null: nothing is left. */
  withChildren(condition: C, children: readonly Condition[]): Condition | null
  /** A condition of this kind made from one of another kind, which holds `inner` (or is `inner` itself). */
  convert(from: Condition, inner: readonly Condition[], fresh: Comparison): Condition
  /** In words. `inner` puts one within it into words; `nested`: it is within another. */
  sentence(condition: C, words: Words, inner: (condition: Condition) => string, nested: boolean): string
  /** Of the conditions in it those that decided whether it was met. */
  decided<T extends { met: boolean }>(children: readonly T[], met: boolean): readonly T[]
}
