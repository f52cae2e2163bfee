import * as z from 'zod'
import type { Condition } from '../conditions.ts'

/** Met when all of its conditions are. */
export type And = {
  op: 'and'
  conditions: Condition[]
}

export const and = (condition: z.ZodType<Condition>) =>
  z.object({ op: z.literal('and'), conditions: z.array(condition).min(1).max(50) })
