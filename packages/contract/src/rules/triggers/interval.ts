import * as z from 'zod'

/** Every so many hours. */
export const IntervalTrigger = z.object({ kind: z.literal('interval'), hours: z.int().min(1).max(8_784) })
export type IntervalTrigger = z.infer<typeof IntervalTrigger>
