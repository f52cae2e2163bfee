import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import type { MapBounds } from './MapView.tsx'

/** A place in degrees. */
export interface Place {
  latitude: number
  longitude: number
}

type Position = readonly number[]

/** Metres; the mean radius, as GeoJSON libraries use it. */
const earthRadius = 6_371_008.8
/** Corners of a circle: its edges are never further from the true one than a thousandth of the radius. */
const circleCorners = 64
/** Decimals of a degree: about a centimetre. */
const digits = 7

const radians = (degrees: number) => (degrees * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI
const rounded = (value: number) => Number(value.toFixed(digits))

/** A closed polygon through these corners. */
function closed(corners: readonly Position[]): GeoPolygon {
  return { type: 'Polygon', coordinates: [[...corners, ...corners.slice(0, 1)].map((each) => [...each])] }
}

/** The corners of the boundary; a closed ring repeats the first one. */
export function cornersOf({ coordinates: [ring = []] }: GeoPolygon): Position[] {
  return ring.slice(0, -1)
}

/** The circle around a place, counter-clockwise from the east. */
export function circleAround({ latitude, longitude }: Place, radiusM: number): GeoPolygon {
  const reach = radiusM / earthRadius
  const lat = radians(latitude)
  const corners = Array.from({ length: circleCorners }, (_, at) => {
    const bearing = Math.PI / 2 - (at / circleCorners) * 2 * Math.PI
    const sine = Math.sin(lat) * Math.cos(reach) + Math.cos(lat) * Math.sin(reach) * Math.cos(bearing)
    const east = Math.atan2(
      Math.sin(bearing) * Math.sin(reach) * Math.cos(lat),
      Math.cos(reach) - Math.sin(lat) * sine,
    )
    return [rounded(longitude + degrees(east)), rounded(degrees(Math.asin(sine)))]
  })
  return closed(corners)
}

/**
 * The radius in whole metres if the polygon is a circle around this place: then it follows its marker. Null for any
 * other.
 */
export function radiusOf(polygon: GeoPolygon, place: Place): number | null {
  const corners = cornersOf(polygon)
  const [, north] = corners[circleCorners / 4] ?? []
  if (corners.length !== circleCorners || north === undefined || polygon.coordinates.length > 1) return null
  const radiusM = Math.round(radians(north - place.latitude) * earthRadius)
  if (radiusM < 1) return null
  return isSame(polygon, circleAround(place, radiusM)) ? radiusM : null
}

/** The polygon after its marker has moved: a circle around the marker moves along. */
export function followed(polygon: GeoPolygon | null, from: Place, to: Place): GeoPolygon | null {
  const radiusM = polygon && radiusOf(polygon, from)
  return radiusM === null ? polygon : circleAround(to, radiusM)
}

/** With coordinates as precise as they are stored. */
export function roundedArea({ coordinates }: GeoPolygon): GeoPolygon {
  return { type: 'Polygon', coordinates: coordinates.map((ring) => ring.map((each) => each.map(rounded))) }
}

export function isSame(one: GeoPolygon | null, other: GeoPolygon | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Without one corner of the boundary; null if too few are left. */
export function withoutCorner(polygon: GeoPolygon, index: number): GeoPolygon | null {
  const corners = cornersOf(polygon)
  if (corners.length <= 3) return null
  const [, ...holes] = polygon.coordinates
  const { coordinates } = closed(corners.filter((_, at) => at !== index))
  return { type: 'Polygon', coordinates: [...coordinates, ...holes] }
}

/** Bounding box; undefined without corners. */
export function boundsOfArea(polygon: GeoPolygon): MapBounds | undefined {
  const corners = cornersOf(polygon)
  if (corners.length === 0) return undefined
  const [lons, lats] = [0, 1].map((axis) => corners.map((each) => each[axis] ?? 0)) as [number[], number[]]
  return {
    west: Math.min(...lons),
    south: Math.min(...lats),
    east: Math.max(...lons),
    north: Math.max(...lats),
  }
}

/** Square metres on the sphere, without the holes. */
export function squareMetres({ coordinates: [boundary = [], ...holes] }: GeoPolygon): number {
  return holes.reduce((sum, hole) => sum - ringArea(hole), ringArea(boundary))
}

function ringArea(ring: readonly Position[]): number {
  const [, lat0 = 0] = ring[0] ?? []
  const sum = ring.slice(1).reduce((area, [lon = 0, lat = 0], at) => {
    const [lonBefore = 0, latBefore = 0] = ring[at] ?? []
    // Relative to the first corner, so that small areas keep their digits.
    const height = Math.sin(radians(lat)) + Math.sin(radians(latBefore)) - 2 * Math.sin(radians(lat0))
    return area + radians(lon - lonBefore) * height
  }, 0)
  return (Math.abs(sum) * earthRadius ** 2) / 2
}
