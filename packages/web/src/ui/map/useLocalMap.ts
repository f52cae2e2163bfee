import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

/** The installation's local map; null without one, or if it cannot be loaded; undefined while loading. */
export function useLocalMap(enabled: boolean): GeoJSON.FeatureCollection | null | undefined {
  const { data, isError } = useQuery(
    api.map.local.queryOptions({
      enabled,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
    }),
  )
  if (isError) return null
  return data === undefined ? undefined : (data.map as GeoJSON.FeatureCollection | null)
}
