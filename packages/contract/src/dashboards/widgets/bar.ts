import * as z from 'zod'
import { timeChart } from '../frame.ts'

export const BarOptions = z.object({ kind: z.literal('bar'), ...timeChart })
