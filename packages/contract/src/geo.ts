import * as z from 'zod'

export const latitude = z.number().min(-90).max(90)
export const longitude = z.number().min(-180).max(180)

/** A bounding box in degrees. */
export const GeoBounds = z.object({ west: longitude, south: latitude, east: longitude, north: latitude })
export type GeoBounds = z.infer<typeof GeoBounds>

/** Zoom, distance, column and row of its square, e.g. `5_50_330_210`. */
export const GeoClusterId = z.string().regex(/^\d{1,2}_\d{2,3}_\d{1,9}_\d{1,9}$/)

/** Maximum clusters of an answer. */
export const geoClustersMax = 2_000

/**
 * The part of a map in a query: zoom 0 shows the world in 512 pixels, clusters are squares of `distance` pixels. Check it
 * with `.superRefine(checkBounds)`.
 */
export const MapPart = {
  zoom: z.int().min(0).max(22),
  distance: z.int().min(10).max(500).default(50),
  west: longitude.default(-180),
  south: latitude.default(-90),
  east: longitude.default(180),
  north: latitude.default(90),
}

/** Whether bounds are in order. */
export function checkBounds({ west, south, east, north }: GeoBounds, context: z.RefinementCtx): void {
  const add = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] })
  if (west > east) add('west must not be beyond east', 'west')
  if (south > north) add('south must not be beyond north', 'south')
}
