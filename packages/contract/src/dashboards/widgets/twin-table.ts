import * as z from 'zod'
import { twinSelection, widgetFrame } from '../frame.ts'

/** Rows are twins (or devices); columns are state keys. */
const TwinTableOptions = z.object({
  ...twinSelection,
  tags: z.array(z.string().max(100)).max(20).default([]),
  stateKeys: z.array(z.string().max(100)).max(20).default([]),
  limit: z.int().min(1).max(100).default(20),
})

export const TwinTableWidget = z.object({
  type: z.literal('twin-table'),
  ...widgetFrame,
  twinTableOptions: TwinTableOptions.prefault({}),
})
