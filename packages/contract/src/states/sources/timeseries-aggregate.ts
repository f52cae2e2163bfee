import * as z from 'zod'
import { Id } from '../../common.ts'
import { aggregationMethods } from '../../series.ts'
import { timeRanges } from '../../timeRanges.ts'
import { periodLimits, periodUnits } from '../periods.ts'

/**
 * What is computed from the values of a period: one of the methods of aggregation, `periodDifference` (the maximum of
 * the period minus that of the one before), or `valueDifference` (the last value minus the one before, without a period).
 */
export const windowOperations = [...aggregationMethods, 'periodDifference', 'valueDifference'] as const
export const WindowOperation = z.enum(windowOperations)
export type WindowOperation = z.infer<typeof WindowOperation>

/** A predefined period, or one of its own length. */
export const WindowPeriod = z.union([
  z.object({ range: z.enum(timeRanges) }),
  z.object({ count: z.int().min(1).max(periodLimits.countMax), unit: z.enum(periodUnits) }),
])

/**
 * The values of one state in a period: back from now, or `aligned` to the clock of the account (the hour, day, week from
 * Monday, month … that has begun).
 */
export const timeseriesAggregate = z.object({
  stateIds: z.array(Id).max(1).optional(),
  operation: WindowOperation.optional(),
  period: WindowPeriod.optional(),
  aligned: z.boolean().optional(),
})
