import * as z from 'zod'
import { Operand } from '../operand.ts'

export const lte = z.object({ op: z.literal('lte'), left: Operand, right: Operand })
