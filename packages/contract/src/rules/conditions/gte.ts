import * as z from 'zod'
import { Operand } from '../operand.ts'

export const gte = z.object({ op: z.literal('gte'), left: Operand, right: Operand })
