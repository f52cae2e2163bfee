import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { earthRadius, metresBetween, type Place, radians } from './metres.ts'

export type { Place } from './metres.ts'

/** In degrees. `west` may be below -180 and `east` above 180. */
export interface Bounds {
  west: number
  south: number
  east: number
  north: number
}

/** An area to measure distances to. */
export type Shape =
  | (Place & { kind: 'circle'; radius: number })
  | {
      kind: 'polygon'
      /** closed, the coordinates of each one after the other: longitude, latitude, longitude … */
      rings: readonly Float64Array[]
      bounds: Bounds
    }

const metresPerDegree = (earthRadius * Math.PI) / 180

export function shapeOf({ coordinates }: GeoPolygon): Shape {
  const rings = coordinates.map((ring) => Float64Array.from(ring.flatMap(([lon = 0, lat = 0]) => [lon, lat])))
  const bounds = { west: 180, south: 90, east: -180, north: -90 }
  for (const [lon = 0, lat = 0] of coordinates[0] ?? []) {
    bounds.west = Math.min(bounds.west, lon)
    bounds.south = Math.min(bounds.south, lat)
    bounds.east = Math.max(bounds.east, lon)
    bounds.north = Math.max(bounds.north, lat)
  }
  return { kind: 'polygon', rings, bounds }
}

/**
 * Metres from a place to the edge of an area: below zero inside of it. The sides of polygons are straight on the map, as they are
 * drawn. Exact for places near the edge; the error grows to about a percent at 100 kilometres.
 */
export function metresToEdge(place: Place, shape: Shape): number {
  if (shape.kind === 'circle') return metresBetween(place, shape) - shape.radius
  const { nearest, isInside } = edgesFrom(place, shape.rings, turned(place.longitude, shape.bounds))
  return isInside ? -nearest : nearest
}

/** The longitude by which the place is nearest to an area: it may be on the other side of the 180th meridian. */
function turned(longitude: number, { west, east }: Bounds): number {
  if (longitude < -90 && longitude + 360 - east < west - longitude) return longitude + 360
  if (longitude > 90 && west - longitude + 360 < longitude - east) return longitude - 360
  return longitude
}

function edgesFrom(
  place: Place,
  rings: readonly Float64Array[],
  x: number,
): { nearest: number; isInside: boolean } {
  const y = place.latitude
  // Degrees of longitude are shorter than those of latitude.
  const scale = Math.cos(radians(y))
  let isInside = false
  let least = Number.POSITIVE_INFINITY
  let nearX = 0
  let nearY = 0
  for (const ring of rings) {
    let x1 = ring[0] as number
    let y1 = ring[1] as number
    for (let at = 2; at < ring.length; at += 2) {
      const x2 = ring[at] as number
      const y2 = ring[at + 1] as number
      // A ray to the east crosses the rings an odd number of times.
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1)) isInside = !isInside
      const dx = (x2 - x1) * scale
      const dy = y2 - y1
      const along = ((x - x1) * scale * dx + (y - y1) * dy) / (dx * dx + dy * dy)
      const part = Math.max(0, Math.min(1, along))
      const offX = (x1 - x) * scale + part * dx
      const offY = y1 - y + part * dy
      const squared = offX * offX + offY * offY
      if (squared < least) {
        least = squared
        nearX = x1 + part * (x2 - x1)
        nearY = y1 + part * dy
      }
      x1 = x2
      y1 = y2
    }
  }
  return { nearest: metresBetween(place, { latitude: nearY, longitude: nearX }), isInside }
}

/** Where places can be that are no further from an area than some metres. */
export function boundsAround(shape: Shape, metres: number): Bounds {
  const reach = metres + (shape.kind === 'circle' ? shape.radius : 0)
  const { west, south, east, north } =
    shape.kind === 'circle'
      ? { west: shape.longitude, south: shape.latitude, east: shape.longitude, north: shape.latitude }
      : shape.bounds
  // A little more, as distances to polygons are not exact.
  const high = (reach * 1.02) / metresPerDegree
  const farthest = Math.max(Math.abs(south - high), Math.abs(north + high))
  const wide = farthest >= 89 ? 360 : high / Math.cos(radians(farthest))
  return { west: west - wide, south: south - high, east: east + wide, north: north + high }
}
