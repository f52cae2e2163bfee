import type { MapBounds } from '../../../ui/map/MapView.tsx'

/** Bounding box of all points; undefined for none. */
export function boundsAround(
  places: readonly { latitude: number; longitude: number }[],
): MapBounds | undefined {
  if (places.length === 0) return undefined
  const bounds = { west: 180, south: 90, east: -180, north: -90 }
  for (const { latitude, longitude } of places) {
    bounds.west = Math.min(bounds.west, longitude)
    bounds.east = Math.max(bounds.east, longitude)
    bounds.south = Math.min(bounds.south, latitude)
    bounds.north = Math.max(bounds.north, latitude)
  }
  return bounds
}
