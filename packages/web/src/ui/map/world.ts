import { useQuery } from '@tanstack/react-query'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import worldUrl from 'world-atlas/countries-50m.json?url'

/** Countries of the world as GeoJSON (Natural Earth, 1:50 m), fetched once for all maps; undefined until then. */
export function useWorld(): GeoJSON.FeatureCollection | undefined {
  const { data } = useQuery({
    queryKey: ['world'],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const reply = await fetch(worldUrl, { signal })
      const topology = (await reply.json()) as Topology<{ countries: GeometryCollection }>
      return feature(topology, topology.objects.countries)
    },
  })
  return data
}
