import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const Position = z.object({ latitude: z.number(), longitude: z.number() })

const TwinMoved = z.object({
  twinId: z.int(),
  /** null: it no longer has a position */
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** where it was; null: it had no position; absent in events of earlier versions */
  before: Position.nullable().optional(),
  /** `values`: its states reported it; `edit`: a person or an import set it */
  by: z.enum(['values', 'edit']),
  /** time of the newest of the values, in ms; null: of the event */
  timeMs: z.number().nullable(),
})

export type TwinMoved = z.infer<typeof TwinMoved>

/** Where a twin was; null without both coordinates. */
export function positionOf({ latitude, longitude }: { latitude: number | null; longitude: number | null }) {
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

/** The position of a twin or device changed. Moves by values are events only while a consumer follows them (`followMoves` of twins). */
export const twinMoved = defineTopic({
  name: 'twin.moved',
  version: 2,
  schema: TwinMoved,
  upgrades: { 1: (payload) => ({ ...(payload as object), timeMs: null }) },
})
