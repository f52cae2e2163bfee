import type { MapTiles } from '@leitstand/contract/maps'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { useStore } from '../../lib/store.ts'
import { visitorStore } from '../../lib/visitor.ts'

interface Surroundings {
  map: GeoJSON.FeatureCollection | null
  tiles: MapTiles | null
}

const nothing: Surroundings = { map: null, tiles: null }

/** The installation's local map and tiles; nothing if they cannot be loaded, undefined while loading. */
export function useLocalMap(enabled: boolean): Surroundings | undefined {
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
  return isError ? nothing : (data as Surroundings | undefined)
}
