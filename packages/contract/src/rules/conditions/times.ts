import * as z from 'zod'
import type { Condition } from '../conditions.ts'

/** Maximum evaluations that are looked back at. */
export const timesMax = 100

/** Met when its condition was met in at least `count` of the last `of` evaluations. */
export type Times = {
  op: 'times'
  count: number
  of: number
  condition: Condition
}

export const times = (condition: z.ZodType<Condition>) =>
  z.object({
    op: z.literal('times'),
    count: z.int().min(1).max(timesMax),
    of: z.int().min(1).max(timesMax),
    condition,
  })
