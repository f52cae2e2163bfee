import * as z from 'zod'
import { Id } from '../../common.ts'

/** On a virtual device: `variable` of its packets; on a twin: `connectorId` + `identifier` (+ `variable`). */
export const connector = z.object({
  variable: z.string().max(200).optional(),
  connectorId: Id.optional(),
  identifier: z.string().max(200).optional(),
})
