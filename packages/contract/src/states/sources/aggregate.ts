import * as z from 'zod'
import { Id } from '../../common.ts'
import { AggregationMethod } from '../../series.ts'
import { Stale, StateQuery } from '../query.ts'

/** States combined by `method`, recomputed whenever one of them changes: a list, or those that a query finds. */
export const aggregate = z.object({
  stateIds: z.array(Id).max(500).optional(),
  /** instead of a list; members come and go with what it finds */
  query: StateQuery.optional(),
  method: AggregationMethod.optional(),
  stale: Stale.optional(),
})
