import * as z from 'zod'
import type { Condition } from '../conditions.ts'

/** Met when its `condition` is not met, or when `implies` is. */
export type When = {
  op: 'when'
  condition: Condition
  implies: Condition
}

export const when = (condition: z.ZodType<Condition>) =>
  z.object({ op: z.literal('when'), condition, implies: condition })
