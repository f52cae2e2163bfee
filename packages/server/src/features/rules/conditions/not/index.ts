import type { Condition } from '@leitstand/contract/rules'
import { invert, verdict } from '../logic.ts'
import type { ConditionKind } from '../types.ts'

export const not: ConditionKind<Extract<Condition, { op: 'not' }>> = {
  conditions: ({ condition }) => [{ path: ['condition', 'not'], part: condition }],
  operands: () => [],
  evaluate({ condition }, _inputs, inner) {
    const denied = inner(condition)
    return verdict('not', invert(denied.answer), [denied])
  },
}
