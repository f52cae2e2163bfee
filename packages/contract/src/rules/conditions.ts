import * as z from 'zod'
import { type And, and } from './conditions/and.ts'
import { eq } from './conditions/eq.ts'
import { gt } from './conditions/gt.ts'
import { gte } from './conditions/gte.ts'
import { lt } from './conditions/lt.ts'
import { lte } from './conditions/lte.ts'
import { type Not, not } from './conditions/not.ts'
import { type Or, or } from './conditions/or.ts'
import { type When, when } from './conditions/when.ts'

/** Every kind of condition that compares two operands. */
const comparisons = [eq, lt, gt, lte, gte] as const

/** A condition tree with the operators of the specification. */
export type Condition = And | Or | Not | When | z.infer<(typeof comparisons)[number]>
export type ConditionOp = Condition['op']

/** Every kind of condition. A plain union would parse the first branch of every `when` twice, and so on for each level. */
export const Condition: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion('op', [
    and(Condition),
    or(Condition),
    not(Condition),
    when(Condition),
    ...comparisons,
  ]),
)
