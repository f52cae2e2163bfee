import type { Condition } from '@leitstand/contract/rules'
import { anyOf, invert, verdict } from '../logic.ts'
import type { ConditionKind } from '../types.ts'

export const when: ConditionKind<Extract<Condition, { op: 'when' }>> = {
  conditions: ({ condition, implies }) => [
    { path: ['condition', 'when'], part: condition },
    { path: ['implies', 'when'], part: implies },
  ],
  operands: () => [],
  evaluate({ condition, implies }, _inputs, inner) {
    const premise = inner(condition)
    const conclusion = inner(implies)
    return verdict('when', anyOf([invert(premise.answer), conclusion.answer]), [premise, conclusion])
  },
}
