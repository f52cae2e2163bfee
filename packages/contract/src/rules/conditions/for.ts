import * as z from 'zod'
import type { Condition } from '../conditions.ts'

/** Maximum minutes that a condition can be asked to last: 31 days. */
export const lastingMinutesMax = 44_640

/** Met when its condition has been met for at least so many minutes without interruption. */
export type For = {
  op: 'for'
  minutes: number
  condition: Condition
}

/** Named so because `for` is a word of the language. */
export const lasting = (condition: z.ZodType<Condition>) =>
  z.object({ op: z.literal('for'), minutes: z.int().min(1).max(lastingMinutesMax), condition })
