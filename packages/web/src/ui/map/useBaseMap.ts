import { useComputedColorScheme } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { builtInStyle } from './builtIn.ts'
import type { MapLayout } from './layouts.ts'
import type { BaseMap } from './style.ts'
import { useWorld } from './world.ts'

/** What the map of a layout is drawn on, in light or dark as the console; undefined until it is there. */
export function useBaseMap({ id }: MapLayout): BaseMap | undefined {
  const mode = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const { language } = useTranslation().i18n
  const world = useWorld()
  return useMemo(
    () => (world ? { style: builtInStyle(id, mode, world, language), mode } : undefined),
    [id, mode, world, language],
  )
}
