import type { Condition } from '@leitstand/contract/rules'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { ConditionKind } from '../types.ts'

export const times: ConditionKind<Extract<Condition, { op: 'times' }>> = {
  look: 'group',
  wrap: 'rules.wrapTimes',
  children: ({ condition }) => [condition],
  withChildren: (from, [condition]) => (condition ? { ...from, condition } : null),
  convert: (from, inner, fresh) => ({
    op: 'times',
    count: 3,
    of: 5,
    condition: 'conditions' in from ? from : (inner[0] ?? fresh),
  }),
  fault: ({ count, of }) => (count > of ? 'timesTooMany' : null),
  sentence({ condition, count, of }, words, inner, isNested) {
    const text = words.text('rules.timesText', { inner: inner(condition), needed: count, of })
    return isNested ? `(${text})` : text
  },
  decided: (children) => children,
  label: ({ count = 0, seen = 0, needed = 0 }, _, words) =>
    words.text('rules.timesLabel', { hits: count, seen, needed }),
  reasons: ({ count = 0, seen = 0, needed = 0 }, sentence, words, inner) => [
    words.text('rules.timesWas', { inner: sentence ?? inner.join(', '), hits: count, seen, needed }),
  ],
  Fields: onDemand(() => import('./TimesFields.tsx')),
}
