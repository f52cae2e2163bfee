import type { Condition, ConditionOp } from '@leitstand/contract/rules'
import { and } from './and/index.ts'
import { eq } from './eq/index.ts'
import { lasting } from './for/index.ts'
import { gt } from './gt/index.ts'
import { gte } from './gte/index.ts'
import { hysteresis } from './hysteresis/index.ts'
import { lt } from './lt/index.ts'
import { lte } from './lte/index.ts'
import { not } from './not/index.ts'
import { or } from './or/index.ts'
import { times } from './times/index.ts'
import type { ComparisonOp, ConditionKind } from './types.ts'
import { when } from './when/index.ts'

/** All kinds of conditions, in the builder's order. */
export const conditionKinds: {
  readonly [Op in ConditionOp]: ConditionKind<Extract<Condition, { op: Op }>>
} = { and, or, not, when, for: lasting, times, gt, gte, lt, lte, eq, hysteresis }

export function conditionKind({ op }: { op: ConditionOp }): ConditionKind<Condition> {
  return conditionKinds[op] as ConditionKind<Condition>
}

const ops = Object.keys(conditionKinds) as ConditionOp[]
const looking = (look: ConditionKind<Condition>['look']) =>
  ops.filter((op) => conditionKinds[op].look === look)

export const groupOps = looking('group')
/** kinds in one row: comparisons, and those with fields of their own */
export const rowOps = looking('comparison')
export const comparisonOps = rowOps.filter(
  (op) => conditionKinds[op].Fields === undefined,
) as readonly ComparisonOp[]

/** Whether this version knows the kind of a condition stored with an evaluation. */
export function isConditionOp(op: string): op is ConditionOp {
  return Object.hasOwn(conditionKinds, op)
}
