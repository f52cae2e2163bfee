import { listOf } from '../lists.ts'

export const and = listOf({
  op: 'and',
  nested: 'or',
  between: 'rules.and',
  decided: (children, met) => (met ? children : children.filter((child) => !child.met)),
})
