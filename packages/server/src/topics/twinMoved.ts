import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const TwinMoved = z.object({
  twinId: z.int(),
  /** null: it no longer has a position */
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** `values`: its states reported it; `edit`: a person or an import set it */
  by: z.enum(['values', 'edit']),
  /** time of the newest of the values, in ms; null: of the event */
  timeMs: z.number().nullable(),
})

export type TwinMoved = z.infer<typeof TwinMoved>

/** The position of a twin or device changed. Moves by values are events only while a consumer follows them (`followMoves` of twins). */
export const twinMoved = defineTopic({
  name: 'twin.moved',
  version: 2,
  schema: TwinMoved,
  upgrades: { 1: (payload) => ({ ...(payload as object), timeMs: null }) },
})
