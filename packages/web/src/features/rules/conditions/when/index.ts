import type { Condition } from '@leitstand/contract/rules'
import type { ConditionKind } from '../types.ts'

export const when: ConditionKind<Extract<Condition, { op: 'when' }>> = {
  look: 'group',
  leads: ['rules.if', 'rules.then'],
  wrap: 'rules.wrapWhen',
  children: ({ condition, implies }) => [condition, implies],
  withChildren: (_, [condition, implies]) =>
    condition && implies ? { op: 'when', condition, implies } : (condition ?? null),
  convert: (_, [condition, implies], fresh) => ({
    op: 'when',
    condition: condition ?? fresh,
    implies: implies ?? fresh,
  }),
  sentence: ({ condition, implies }, words, inner) =>
    words.text('rules.whenText', { condition: inner(condition), implies: inner(implies) }),
  decided: (children, met) => (met ? children.filter((child) => child.met).slice(-1) : children),
}
