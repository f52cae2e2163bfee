import * as z from 'zod'
import type { Condition } from '../conditions.ts'

/** Met when one of its conditions is. */
export type Or = {
  op: 'or'
  conditions: Condition[]
}

export const or = (condition: z.ZodType<Condition>) =>
  z.object({ op: z.literal('or'), conditions: z.array(condition).min(1).max(50) })
