import type { Condition } from '@leitstand/contract/rules'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { ConditionKind } from '../types.ts'

export const lasting: ConditionKind<Extract<Condition, { op: 'for' }>> = {
  look: 'group',
  wrap: 'rules.wrapFor',
  children: ({ condition }) => [condition],
  withChildren: (from, [condition]) => (condition ? { ...from, condition } : null),
  // A list lasts as a whole.
  convert: (from, inner, fresh) => ({
    op: 'for',
    minutes: 10,
    condition: 'conditions' in from ? from : (inner[0] ?? fresh),
  }),
  sentence({ condition, minutes }, words, inner, isNested) {
    const text = words.text('rules.forText', { inner: inner(condition), count: minutes })
    return isNested ? `(${text})` : text
  },
  decided: (children) => children,
  label: ({ minutes = 0, since }, _, words) =>
    since === undefined
      ? words.text('rules.forLabel', { count: minutes })
      : words.text('rules.forLabelSince', { count: minutes, since: words.time(since) }),
  reasons({ met, minutes = 0, since }, _, words, inner) {
    if (since === undefined) return inner
    const key = met ? 'rules.forWas' : 'rules.forNot'
    return [words.text(key, { inner: inner.join(', '), count: minutes, since: words.time(since) })]
  },
  Fields: onDemand(() => import('./ForFields.tsx')),
}
