import * as z from 'zod'
import type { Condition } from '../conditions.ts'

/** Met when its condition is not. */
export type Not = {
  op: 'not'
  condition: Condition
}

export const not = (condition: z.ZodType<Condition>) => z.object({ op: z.literal('not'), condition })
