import type { GeoPolygon } from '@leitstand/contract/geoPolygon'

interface Place {
  latitude: number
  longitude: number
}

/** Decimals of a degree: about a centimetre. */
const digits = 7

const cosine = (latitude: number) => Math.cos((latitude * Math.PI) / 180)
const rounded = (degrees: number) => Number(degrees.toFixed(digits))

/**
 * A polygon that moves along with its marker, with the same shape in metres.
 * @returns null if it would leave the range of coordinates
 */
export function movedPolygon(polygon: GeoPolygon, from: Place, to: Place): GeoPolygon | null {
  // Towards the poles a metre is more degrees of longitude.
  const stretch = cosine(from.latitude) / cosine(to.latitude)
  const coordinates = polygon.coordinates.map((ring) =>
    ring.map(([longitude = 0, latitude = 0, ...altitude]) => [
      rounded(to.longitude + (longitude - from.longitude) * stretch),
      rounded(to.latitude + (latitude - from.latitude)),
      ...altitude,
    ]),
  )
  const isInRange = coordinates.every((ring) =>
    ring.every(([longitude = 0, latitude = 0]) => Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90),
  )
  return isInRange ? { ...polygon, coordinates } : null
}
