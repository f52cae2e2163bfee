import type { Condition } from '@leitstand/contract/rules'
import type { ConditionKind } from './types.ts'

type ListOp = 'and' | 'or'
type List = Extract<Condition, { conditions: Condition[] }>

interface ListOptions extends Pick<ConditionKind<List>, 'decided' | 'wrap'> {
  op: ListOp
  nested: ListOp
  /** key of the text between two conditions */
  between: string
}

/** A kind that contains a list of conditions. */
export function listOf(options: ListOptions): ConditionKind<List> {
  const { op, nested, between, decided, wrap } = options
  const make = (conditions: readonly Condition[]): List => ({ op, conditions: [...conditions] })
  return {
    look: 'group',
    nested,
    ...(wrap === undefined ? {} : { wrap }),
    decided,
    children: ({ conditions }) => conditions,
    withChildren: (_, children) => (children.length > 0 ? make(children) : null),
    convert: (_, inner) => make(inner),
    sentence({ conditions }, words, inner, isNested) {
      const text = conditions.map(inner).join(` ${words.text(between)} `)
      return isNested && conditions.length > 1 ? `(${text})` : text
    },
  }
}
