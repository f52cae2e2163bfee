import * as z from 'zod'
import { timeChart } from '../frame.ts'

export const LineOptions = z.object({
  kind: z.literal('line').default('line'),
  ...timeChart,
  smooth: z.boolean().default(false),
  area: z.boolean().default(false),
})
