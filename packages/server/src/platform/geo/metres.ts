export interface Place {
  latitude: number
  longitude: number
}

/** Metres; the mean radius. */
export const earthRadius = 6_371_008.8

export const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Metres between two places, on a sphere. */
export function metresBetween(one: Place, other: Place): number {
  const lat = Math.sin(radians(other.latitude - one.latitude) / 2)
  const lon = Math.sin(radians(other.longitude - one.longitude) / 2)
  const chord = lat * lat + Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * lon * lon
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(chord)))
}
