import { builtInMapLayouts } from '@leitstand/contract/maps'
import { useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { builtInStyle, modeOf } from './builtIn.ts'
import type { MapLayout } from './layouts.ts'
import type { BaseMap } from './style.ts'
import { fetchStyle } from './styleDocument.ts'
import { useLocalMap } from './useLocalMap.ts'
import { useTiles } from './useTiles.ts'
import { useWorld } from './world.ts'

interface BaseMapState {
  /** undefined while loading */
  base: BaseMap | undefined
  /** the selected style cannot be shown; a built-in one replaces it */
  failure: { error: unknown } | undefined
  /** Gives up the style: it loaded, but none of its sources did. */
  giveUp: (error: unknown) => void
  retry: () => void
}

/** The background map of a layout, in the console's light or dark mode. */
export function useBaseMap(layout: MapLayout | undefined): BaseMapState {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const { language } = useTranslation().i18n
  const style = layout?.style
  const isDark = scheme === 'dark' && Boolean(style?.dark)
  const address = isDark ? style?.dark : style?.light
  const [given, giveUp] = useState<{ address: string; error: unknown }>()
  const fetched = useQuery({
    queryKey: ['map-style', address],
    queryFn: ({ signal }) => fetchStyle(address ?? '', style?.origins ?? [], signal),
    enabled: Boolean(address),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const gone = given !== undefined && given.address === address ? given.error : undefined
  const error = gone ?? (address ? (fetched.error ?? undefined) : undefined)
  const ownId =
    layout && !(address && error === undefined) ? (style ? builtInMapLayouts[0] : layout.id) : undefined
  const builtIn = builtInMapLayouts.find((id) => id === ownId)
  const world = useWorld(builtIn !== undefined)
  const local = useLocalMap(builtIn !== undefined)
  const tiles = useTiles(local?.tiles)
  const base = useMemo((): BaseMap | undefined => {
    if (builtIn) {
      if (!world || local === undefined || tiles === undefined) return undefined
      const mode = modeOf(builtIn, scheme)
      return { style: builtInStyle(builtIn, mode, { world, local: local.map, tiles }, language), mode }
    }
    return fetched.data && { style: fetched.data, mode: isDark ? 'dark' : 'light' }
  }, [builtIn, scheme, world, local, tiles, language, fetched.data, isDark])
  return {
    base,
    failure: error === undefined ? undefined : { error },
    giveUp: (reason) => address && giveUp({ address, error: reason }),
    retry: () => {
      giveUp(undefined)
      void fetched.refetch()
    },
  }
}
