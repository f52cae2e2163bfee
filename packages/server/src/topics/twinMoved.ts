import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const TwinMoved = z.object({
  twinId: z.int(),
  /** null: it no longer has a position */
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** `values`: its states reported it; `edit`: a person or an import set it */
  by: z.enum(['values', 'edit']),
})

export type TwinMoved = z.infer<typeof TwinMoved>

/** The position of a twin or device changed. */
export const twinMoved = defineTopic({ name: 'twin.moved', version: 1, schema: TwinMoved })
