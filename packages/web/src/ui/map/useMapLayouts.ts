import { builtInMapLayouts } from '@leitstand/contract/maps'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useUserDefaults } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { visitorStore } from '../../lib/visitor.ts'
import { layoutOf, type MapLayout, type MapLayouts } from './layouts.ts'

/** Map styles only change with a restart of the server. */
function useMapStyles() {
  // They may contain keys of tile servers, so visitors of public pages have the built-in ones only.
  const isVisitor = useStore(visitorStore) !== null
  return useQuery(api.map.styles.queryOptions({ enabled: !isVisitor, staleTime: Number.POSITIVE_INFINITY }))
}

/** All selectable layouts, the default first; the installation's once they are loaded. */
export function useMapLayouts(): MapLayouts {
  const { t, i18n } = useTranslation()
  const { data } = useMapStyles()
  const named = (data?.items ?? []).map((style) => ({
    id: style.id,
    style,
    title: i18n.language === 'en' ? style.title.en : style.title.de,
  }))
  const [first, ...others] = builtInMapLayouts
  const builtIn = (id: string) => ({ id, title: t(`map.layouts.${id}`) })
  return [builtIn(first), ...others.map(builtIn), ...named]
}

/** The selected layout; undefined while loading. */
/** @param given number of a layout, from 1, instead of the user's default */
export function useChosenLayout(given?: number): MapLayout | undefined {
  const layouts = useMapLayouts()
  const { isLoading: isPending } = useMapStyles()
  const { mapLayout } = useUserDefaults()
  if (given !== undefined) return layouts[given - 1] ?? layouts[0]
  const waits = isPending && mapLayout !== undefined && layouts.every(({ id }) => id !== mapLayout)
  return waits ? undefined : layoutOf(layouts, mapLayout)
}
