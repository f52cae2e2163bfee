import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { useStore } from '../../lib/store.ts'
import { visitorStore } from '../../lib/visitor.ts'

/** The installation's local map; null without one, or if it cannot be loaded; undefined while loading. */
export function useLocalMap(enabled: boolean): GeoJSON.FeatureCollection | null | undefined {
  const visitor = useStore(visitorStore)
  const forever = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }
  const ofUsers = useQuery(api.map.local.queryOptions({ enabled: enabled && visitor === null, ...forever }))
  const ofVisitors = useQuery(
    api.shared.localMap.queryOptions({
      input: { key: visitor?.key ?? '' },
      enabled: enabled && visitor !== null,
      ...forever,
    }),
  )
  const { data, isError } = visitor === null ? ofUsers : ofVisitors
  if (isError) return null
  return data === undefined ? undefined : (data.map as GeoJSON.FeatureCollection | null)
}
