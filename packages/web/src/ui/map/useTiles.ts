import type { MapTiles } from '@leitstand/contract/maps'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

/** Tiles with the code that draws them, which only installations with tiles load; null without, undefined while loading. */
export function useTiles(of: MapTiles | null | undefined) {
  const { data, isError } = useQuery({
    queryKey: ['tile-layers'],
    queryFn: async () => ({ draw: (await import('./tileLayers.ts')).tileLayers }),
    enabled: Boolean(of),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return useMemo(() => {
    if (of === undefined) return undefined
    if (of === null || isError) return null
    return data && { of, draw: data.draw }
  }, [of, data, isError])
}
