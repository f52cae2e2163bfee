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
import type { ConditionKind } from './types.ts'
import { when } from './when/index.ts'

/** Every kind of condition. */
export const conditionKinds = {
  and,
  or,
  not,
  when,
  for: lasting,
  times,
  hysteresis,
  eq,
  lt,
  gt,
  lte,
  gte,
} satisfies {
  readonly [Op in ConditionOp]: ConditionKind<Extract<Condition, { op: Op }>>
}

export function conditionKind({ op }: Condition): ConditionKind<Condition> {
  return conditionKinds[op] as ConditionKind<Condition>
}
