import * as z from 'zod'
import { Id } from '../../common.ts'

export const geofenceModes = [
  'enter',
  'exit',
  'dwelltime',
  'dwelltime_out',
  'proximity_closing',
  'proximity_movingout',
] as const
export type GeofenceMode = (typeof geofenceModes)[number]

/** Metres, and minutes (90 days). */
export const geofenceLimits = {
  zonesMax: 50,
  radiusMax: 100_000,
  distanceMax: 100_000,
  marginMax: 10_000,
  minutesMax: 129_600,
} as const

const Radius = z.number().positive().max(geofenceLimits.radiusMax)

/** What a position is compared with. */
const GeofenceArea = z.discriminatedUnion('kind', [
  /** twins of the type zone, with a polygon */
  z.object({ kind: z.literal('zones'), zoneIds: z.array(Id).min(1).max(geofenceLimits.zonesMax) }),
  z.object({
    kind: z.literal('circle'),
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    /** in metres */
    radius: Radius,
  }),
  /** around another twin or device, wherever it is; `proximity_…` compares the distance between both instead */
  z.object({ kind: z.literal('twin'), twinId: Id, radius: Radius.default(50) }),
])
export type GeofenceArea = z.infer<typeof GeofenceArea>

/**
 * The rule's twin or device, or one below it, crosses the edge of an area, stays on one side of it for some time, or comes
 * nearer to it or goes further away than a distance. Of several zones each counts on its own; only `dwelltime_out` waits until
 * all of them were left.
 */
export const GeofenceTrigger = z.object({
  kind: z.literal('geofence'),
  mode: z.enum(geofenceModes),
  area: GeofenceArea,
  /** also of twins and devices below; not in a rule for many, which compares each of its twins */
  below: z.boolean().default(false),
  /** of `dwelltime` and `dwelltime_out` */
  minutes: z.int().positive().max(geofenceLimits.minutesMax).optional(),
  /** of `proximity_closing` and `proximity_movingout`: metres to the edge of the area */
  distance: z.number().positive().max(geofenceLimits.distanceMax).optional(),
  /** metres beyond the edge that count as neither inside nor outside, so that a position that jumps crosses it once */
  margin: z.number().min(0).max(geofenceLimits.marginMax).default(10),
})
export type GeofenceTrigger = z.infer<typeof GeofenceTrigger>

/** Whether a mode waits for some time. */
export function isDwelling(mode: GeofenceMode): boolean {
  return mode === 'dwelltime' || mode === 'dwelltime_out'
}

/** Whether a mode compares the distance to the edge. */
export function isProximity(mode: GeofenceMode): boolean {
  return mode === 'proximity_closing' || mode === 'proximity_movingout'
}
