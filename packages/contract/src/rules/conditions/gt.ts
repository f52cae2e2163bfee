import * as z from 'zod'
import { Operand } from '../operand.ts'

export const gt = z.object({ op: z.literal('gt'), left: Operand, right: Operand })
