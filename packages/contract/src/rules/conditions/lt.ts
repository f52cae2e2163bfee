import * as z from 'zod'
import { Operand } from '../operand.ts'

export const lt = z.object({ op: z.literal('lt'), left: Operand, right: Operand })
