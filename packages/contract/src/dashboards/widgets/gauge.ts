import * as z from 'zod'
import { ChartStates } from '../frame.ts'

/** The thresholds must be strictly between min and max. */
export const GaugeOptions = z.object({
  kind: z.literal('gauge'),
  stateIds: ChartStates,
  min: z.number().optional(),
  max: z.number().optional(),
  lowerThreshold: z.number().optional(),
  upperThreshold: z.number().optional(),
  gaugeValue: z.enum(['min', 'max', 'average', 'sum', 'earliest', 'latest']).default('latest'),
})
