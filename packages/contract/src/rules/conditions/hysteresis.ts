import * as z from 'zod'
import { Operand } from '../operand.ts'

/**
 * Met as soon as the input is beyond `limit`, and until it is back beyond `release`: above 30, until it is below 28.
 * Between the two it stays as it was.
 */
export const hysteresis = z.object({
  op: z.literal('hysteresis'),
  input: Operand,
  direction: z.enum(['above', 'below']),
  limit: z.number(),
  release: z.number(),
})
