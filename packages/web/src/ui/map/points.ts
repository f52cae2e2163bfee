import { LngLatBounds } from 'maplibre-gl'
import type { MapBounds, MapPoint, MapViewProps } from './MapView.tsx'
import { toneRanks } from './style.ts'

/** Points as GeoJSON with what the style needs: id, rank of the tone, count, whether selected. */
export function toFeatures(
  points: readonly MapPoint[],
  selectedId: string | null | undefined,
): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: points.map((point) => {
      const rank = Math.max(0, toneRanks.indexOf(point.tone ?? 'accent'))
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [point.longitude, point.latitude] },
        properties: {
          id: point.id,
          rank,
          worst: rank,
          sum: point.count ?? 1,
          selected: point.id === selectedId,
          value: point.value ?? '',
          icon: point.icon?.name ?? '',
        },
      }
    }),
  }
}

/** Tracks as GeoJSON. */
export function toLines(tracks: MapViewProps['tracks'] = []): GeoJSON.Feature {
  const coordinates = tracks.map((places) => places.map(({ longitude, latitude }) => [longitude, latitude]))
  return { type: 'Feature', geometry: { type: 'MultiLineString', coordinates }, properties: {} }
}

/** Areas as GeoJSON with the rank of their tone. */
export function toAreas(areas: MapViewProps['areas'] = []): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: areas.map(({ id, polygon, tone = 'accent' }) => ({
      type: 'Feature',
      geometry: polygon,
      properties: { rank: toneRanks.indexOf(tone), ...(id === undefined ? {} : { id }) },
    })),
  }
}

/** Bounds of all points; undefined without points. */
export function boundsOf(points: readonly MapPoint[]): LngLatBounds | undefined {
  const first = points[0]
  if (!first) return undefined
  const bounds = new LngLatBounds([first.longitude, first.latitude], [first.longitude, first.latitude])
  for (const point of points) bounds.extend([point.longitude, point.latitude])
  return bounds
}

export function boundsFrom({ west, south, east, north }: MapBounds): LngLatBounds {
  return new LngLatBounds([west, south], [east, north])
}

/** The visible area with valid degrees: a view that crosses the antimeridian becomes the whole range. */
export function viewOf(bounds: LngLatBounds): MapBounds {
  const [west, east] = [bounds.getWest(), bounds.getEast()]
  const wraps = west < -180 || east > 180 || west > east
  return {
    west: wraps ? -180 : west,
    south: Math.max(-90, bounds.getSouth()),
    east: wraps ? 180 : east,
    north: Math.min(90, bounds.getNorth()),
  }
}
