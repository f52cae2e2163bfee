import { listOf } from '../lists.ts'

export const or = listOf({
  op: 'or',
  nested: 'and',
  between: 'rules.or',
  wrap: 'rules.wrapGroup',
  decided: (children, met) => (met ? children.filter((child) => child.met) : children),
})
