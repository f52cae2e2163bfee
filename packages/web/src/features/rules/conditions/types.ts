import type { Branch, Condition, Operand } from '@leitstand/contract/rules'
import type { ReactNode } from 'react'

export type Comparison = Extract<Condition, { left: Operand }>
export type ComparisonOp = Comparison['op']

/** Words for condition sentences; the screens take them from the locale files. */
export interface Words {
  /** a locale text by its key */
  text(key: string, values?: Record<string, string | number>): string
  compare(op: ComparisonOp, left: string, right: string): string
  /** the same for a past evaluation: "war größer als", "war nicht größer als" */
  compareWas(op: ComparisonOp, left: string, right: string): string
  compareNot(op: ComparisonOp, left: string, right: string): string
  operand(operand: Operand): string
  /** a metric with the value it had: "Temperatur (31,2 °C)" */
  valued(operand: Operand | undefined, value: unknown): string
  /** an ISO time */
  time(iso: string): string
}

export interface FieldsProps<C extends Condition> {
  condition: C
  aliases: readonly string[]
  onChange(condition: C): void
  /** the choice of the operator, shown in a comparison */
  children?: ReactNode
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
  /** Its operands, in order. Absent: none. */
  operands?(condition: C): readonly Operand[]
  /** A copy with other operands. */
  withOperands?(condition: C, operands: readonly Operand[]): Condition
  /** A problem with its own fields: a key below `rules.faults`. */
  fault?(condition: C): string | null
  /** Own fields of the builder: in the head of a group, instead of two operands in a comparison. */
  Fields?(props: FieldsProps<C>): ReactNode
  /** Its line in the tree of a past evaluation; `condition` is null when the rule has changed since. */
  label?(branch: Branch, condition: C | null, words: Words): string
  /**
   * Why it was or was not met, instead of the reasons of its children.
   * @param sentence its child in words; null when the rule has changed since
   * @param inner the reasons of its children
   */
  reasons?(
    branch: Branch,
    sentence: string | null,
    words: Words,
    inner: readonly string[],
    condition: C | null,
  ): readonly string[]
  /** The children that decided the result. */
  decided<T extends { met: boolean }>(children: readonly T[], met: boolean): readonly T[]
}
