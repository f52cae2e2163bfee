import * as z from 'zod'
import { Id } from '../../common.ts'
import { AggregationMethod } from '../../series.ts'

/** `stateIds` combined by `method`, recomputed whenever one of them changes. */
export const aggregate = z.object({
  stateIds: z.array(Id).max(500).optional(),
  method: AggregationMethod.optional(),
})
