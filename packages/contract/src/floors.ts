import * as z from 'zod'
import { Done, Id, operation } from './common.ts'
import { may } from './permissions.ts'

export const floorLimits = {
  /** floors of one building */
  floorsMax: 200,
  /** metres of a side of a plan */
  sideMin: 1,
  sideMax: 20_000,
} as const

/** Longitude and latitude in degrees. */
export const Corner = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)])
export type Corner = z.infer<typeof Corner>

/** Where the corners of a picture lie: top left, top right, bottom right, bottom left. */
export type Corners = [Corner, Corner, Corner, Corner]

const metresPerDegree = 111_320

/** Metres east and north of the first corner; accurate for a plan, not for a country. */
function metresFrom([lng, lat]: Corner, [toLng, toLat]: Corner): [number, number] {
  const squeeze = Math.cos((lat * Math.PI) / 180)
  return [(toLng - lng) * metresPerDegree * squeeze, (toLat - lat) * metresPerDegree]
}

/**
 * Why a picture cannot lie there: `size` when a side is shorter than a metre or longer than 20 km, `shape` when the corners
 * are not those of a convex quadrilateral, clockwise as on the picture; null when it can.
 */
export function cornersFault(corners: Corners): 'size' | 'shape' | null {
  const sides = corners.map((corner, index) => metresFrom(corner, corners[(index + 1) % 4] as Corner))
  const lengths = sides.map(([east, north]) => Math.hypot(east, north))
  if (lengths.some((length) => length < floorLimits.sideMin || length > floorLimits.sideMax)) return 'size'
  const turnsRight = sides.every(([east, north], index) => {
    const [nextEast, nextNorth] = sides[(index + 1) % 4] as [number, number]
    const sine =
      (north * nextEast - east * nextNorth) / (lengths[index] ?? 1) / (lengths[(index + 1) % 4] ?? 1)
    return sine > 0.02
  })
  return turnsRight ? null : 'shape'
}

const CornersIn = z
  .tuple([Corner, Corner, Corner, Corner])
  .refine((corners) => cornersFault(corners) === null, {
    message: 'the corners are those of no plan: clockwise from the top left, sides of 1 m to 20 km',
  })

const Place = z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })

/** From 0, not to be seen, to 1. */
const Opacity = z.number().min(0).max(1)

/** The picture of a floor plan and where it lies on the map. */
export const Overlay = z.object({
  fileId: Id,
  corners: z.tuple([Corner, Corner, Corner, Corner]),
  /** the bounds of its corners */
  northEast: Place,
  southWest: Place,
  opacity: Opacity,
})
export type Overlay = z.infer<typeof Overlay>

/** A twin of the type floor. */
export const Floor = z.object({
  twinId: Id,
  title: z.string(),
  floorNumber: z.int().nullable(),
  floorName: z.string(),
  /** null: no plan, or not placed yet */
  overlay: Overlay.nullable(),
})
export type Floor = z.infer<typeof Floor>

const read = may('DigitalTwin', 'read', 'write', 'manage')
const write = may('DigitalTwin', 'write', 'manage')
const tags = ['twins']

/** Floors of buildings, with their plans. A plan is uploaded as a file with the role `plan`. */
export const floor = {
  /**
   * The floors of a twin, from top to bottom: those below it, or for a floor those of its building, itself included. At most 200
   * that the caller may see.
   */
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/digitaltwin/{id}/floors', tags, summary: 'Floors of a twin' })
    .input(z.object({ id: Id }))
    .output(z.object({ items: z.array(Floor), more: z.boolean() })),
  /**
   * Places the plan of a floor: by its corners, or upright by north-east and south-west. Refused with DTWIN_NOT_A_FLOOR for twins
   * of another type, FILE_NOT_FOUND unless the file is its plan.
   */
  place: operation
    .meta({ rule: write })
    .route({ method: 'PUT', path: '/digitaltwin/{id}/overlay', tags, summary: 'Place a floor plan' })
    .input(
      z
        .object({
          id: Id,
          fileId: Id,
          corners: CornersIn.optional(),
          northEast: Place.optional(),
          southWest: Place.optional(),
          opacity: Opacity.default(0.8),
        })
        .superRefine(checkPlace),
    )
    .output(Overlay),
  /** Removes the plan of a floor, picture and place. */
  remove: operation
    .meta({ rule: write })
    .route({ method: 'DELETE', path: '/digitaltwin/{id}/overlay', tags, summary: 'Remove a floor plan' })
    .input(z.object({ id: Id }))
    .output(Done),
}

interface Placed {
  corners?: Corners | undefined
  northEast?: z.infer<typeof Place> | undefined
  southWest?: z.infer<typeof Place> | undefined
}

/** Either corners, or both bounds. */
function checkPlace({ corners, northEast, southWest }: Placed, ctx: z.RefinementCtx): void {
  if (corners !== undefined && northEast === undefined && southWest === undefined) return
  if (corners === undefined && northEast !== undefined && southWest !== undefined) {
    const isNorthEast = northEast.latitude > southWest.latitude && northEast.longitude > southWest.longitude
    if (isNorthEast && cornersFault(cornersOfBounds(northEast, southWest)) === null) return
    ctx.addIssue({ code: 'custom', path: ['northEast'], message: 'these are the bounds of no plan' })
    return
  }
  ctx.addIssue({ code: 'custom', path: ['corners'], message: 'either corners, or northEast and southWest' })
}

/** The corners of a picture that is not turned. */
export function cornersOfBounds(
  northEast: { latitude: number; longitude: number },
  southWest: { latitude: number; longitude: number },
): Corners {
  const [north, east] = [northEast.latitude, northEast.longitude]
  const [south, west] = [southWest.latitude, southWest.longitude]
  return [
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ]
}

/** The bounds of corners. */
export function boundsOfCorners(corners: Corners): Pick<Overlay, 'northEast' | 'southWest'> {
  const [lngs, lats] = [corners.map(([lng]) => lng), corners.map(([, lat]) => lat)]
  return {
    northEast: { latitude: Math.max(...lats), longitude: Math.max(...lngs) },
    southWest: { latitude: Math.min(...lats), longitude: Math.min(...lngs) },
  }
}
