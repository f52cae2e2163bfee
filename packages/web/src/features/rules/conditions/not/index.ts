import type { Condition } from '@leitstand/contract/rules'
import type { ConditionKind } from '../types.ts'

export const not: ConditionKind<Extract<Condition, { op: 'not' }>> = {
  look: 'group',
  wrap: 'rules.wrapNot',
  children: ({ condition }) => [condition],
  withChildren: (_, [condition]) => (condition ? { op: 'not', condition } : null),
  // A list is negated as a whole.
  convert: (from, inner, fresh) => ({
    op: 'not',
    condition: 'conditions' in from ? from : (inner[0] ?? fresh),
  }),
  sentence: ({ condition }, words, inner) => words.text('rules.notText', { inner: inner(condition) }),
  decided: (children) => children,
}
