import * as z from 'zod'
import { Operand } from '../operand.ts'

export const eq = z.object({ op: z.literal('eq'), left: Operand, right: Operand })
