import * as z from 'zod'
import { Id, Time } from './common.ts'

/** Maximum places of a track in one response. */
const placesMax = 2_000

/** A place, from `time` until the object was last seen there. */
export const GeoPosition = z.object({
  time: Time,
  until: Time,
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
})
export type GeoPosition = z.infer<typeof GeoPosition>

/** For a twin or device, between `start` and `end`, by default the last seven days. */
export const GeoHistoryInput = z
  .object({
    id: Id,
    start: Time.optional(),
    end: Time.optional(),
    limit: z.int().min(1).max(placesMax).default(500),
  })
  .refine(({ start, end }) => !start || !end || Date.parse(start) < Date.parse(end), {
    message: 'start comes before end',
    path: ['end'],
  })
export type GeoHistoryInput = z.output<typeof GeoHistoryInput>

/**
 * Places from the values of its states whose keys start with lat or lon, oldest first. Consecutive reports of
 * one place are merged. Above `limit` the newest are returned and `more` is set; pass the `time` of the first
 * one as `end` to page back.
 */
export const GeoHistory = z.object({
  items: z.array(GeoPosition),
  more: z.boolean(),
  /** it has such states */
  reports: z.boolean(),
})
export type GeoHistory = z.infer<typeof GeoHistory>
