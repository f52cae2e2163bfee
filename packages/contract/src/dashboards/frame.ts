import * as z from 'zod'
import { Id } from '../common.ts'
import { AggregationDuration, AggregationMethod } from '../series.ts'

/** Width in columns of a grid of 12; on small screens widgets stack. */
const WidgetSize = z.object({
  columns: z.int().min(2).max(12).default(6),
  minHeightPx: z.int().min(80).max(1200).default(280),
})

/** Fields of every widget. */
export const widgetFrame = {
  title: z.string().max(200).default(''),
  hideHeader: z.boolean().default(false),
  floatHeader: z.boolean().default(false),
  borderless: z.boolean().default(false),
  size: WidgetSize.default({ columns: 6, minHeightPx: 280 }),
}

/** The states a chart shows. */
export const ChartStates = z.array(Id).max(20).default([])

/** Fields of every time chart. */
export const timeChart = {
  stateIds: ChartStates,
  method: AggregationMethod.default('avg'),
  /** absent: chosen from the range so that at most 2 000 points are drawn; raw: no aggregation */
  duration: z.union([AggregationDuration, z.literal('raw')]).optional(),
  /** horizontal lines */
  thresholds: z
    .array(z.object({ value: z.number(), label: z.string().max(50).default('') }))
    .max(10)
    .default([]),
  /** axis limits; absent: derived from the values */
  min: z.number().optional(),
  max: z.number().optional(),
}

/** The twins that a table or map shows: those below `parentTwinId`, or the given ones. */
export const twinSelection = {
  parentTwinId: Id.optional(),
  twinIds: z.array(Id).max(200).default([]),
}
