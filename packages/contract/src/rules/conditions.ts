import * as z from 'zod'
import { type And, and } from './conditions/and.ts'
import { eq } from './conditions/eq.ts'
import { type For, lasting } from './conditions/for.ts'
import { gt } from './conditions/gt.ts'
import { gte } from './conditions/gte.ts'
import { hysteresis } from './conditions/hysteresis.ts'
import { lt } from './conditions/lt.ts'
import { lte } from './conditions/lte.ts'
import { type Not, not } from './conditions/not.ts'
import { type Or, or } from './conditions/or.ts'
import { ScriptCondition } from './conditions/script.ts'
import { type Times, times } from './conditions/times.ts'
import { type When, when } from './conditions/when.ts'

/** Every kind of condition that compares two operands. */
const comparisons = [eq, lt, gt, lte, gte] as const

/** A condition tree with the operators of the specification, and three that look back. */
export type Condition =
  | And
  | Or
  | Not
  | When
  | For
  | Times
  | z.infer<typeof hysteresis>
  | z.infer<(typeof comparisons)[number]>
export type ConditionOp = Condition['op']

/** The kinds of a tree. A plain union would parse the first branch of every `when` twice, and so on for each level. */
const kinds = () =>
  [
    and(Condition),
    or(Condition),
    not(Condition),
    when(Condition),
    lasting(Condition),
    times(Condition),
    hysteresis,
    ...comparisons,
  ] as const

/** Every kind of condition. */
export const Condition: z.ZodType<Condition> = z.lazy(() => z.discriminatedUnion('op', kinds()))

/** The conditions of a rule: a tree, or a script instead of it. */
export type RuleConditions = Condition | ScriptCondition
export const RuleConditions: z.ZodType<RuleConditions> = z.lazy(() =>
  z.discriminatedUnion('op', [ScriptCondition, ...kinds()]),
)
