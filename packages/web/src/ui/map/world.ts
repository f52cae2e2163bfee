import { useQuery } from '@tanstack/react-query'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import worldUrl from 'world-atlas/countries-50m.json?url'

/**
 * Countries of the world as GeoJSON (Natural Earth, 1:50 m), loaded once for all maps on demand; undefined
 * until then.
 */
export function useWorld(enabled: boolean): GeoJSON.FeatureCollection | undefined {
  const { data } = useQuery({
    queryKey: ['world'],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const reply = await fetch(worldUrl, { signal })
      const topology = (await reply.json()) as Topology<{ countries: GeometryCollection }>
      return unwrapped(feature(topology, topology.objects.countries))
    },
  })
  return data
}

/**
 * The countries, with outlines that cross the antimeridian continuing beyond 180° instead of jumping to the
 * other side of the map, which would fill the area in between. Outlines around a pole stay unchanged.
 */
export function unwrapped(world: GeoJSON.FeatureCollection): GeoJSON.FeatureCollection {
  const features = world.features.map((country) => {
    const { geometry } = country
    if (geometry.type === 'Polygon')
      return { ...country, geometry: { ...geometry, coordinates: geometry.coordinates.map(unwrappedRing) } }
    if (geometry.type !== 'MultiPolygon') return country
    const coordinates = geometry.coordinates.map((polygon) => polygon.map(unwrappedRing))
    return { ...country, geometry: { ...geometry, coordinates } }
  })
  return { ...world, features }
}

function unwrappedRing(ring: GeoJSON.Position[]): GeoJSON.Position[] {
  if (ring.some(([, latitude = 0]) => Math.abs(latitude) > 89)) return ring
  let turn = 0
  return ring.map(([longitude = 0, latitude = 0], index) => {
    const step = longitude - (ring[index - 1]?.[0] ?? longitude)
    if (Math.abs(step) > 180) turn -= Math.sign(step) * 360
    return [longitude + turn, latitude]
  })
}
