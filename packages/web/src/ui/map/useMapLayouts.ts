import { builtInMapLayouts } from '@leitstand/contract/maps'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useUserDefaults } from '../../lib/session.ts'
import { layoutOf, type MapLayout, type MapLayouts } from './layouts.ts'

/** Map styles only change with a restart of the server. */
function useMapStyles() {
  return useQuery(api.map.styles.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
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
export function useChosenLayout(): MapLayout | undefined {
  const layouts = useMapLayouts()
  const { isPending } = useMapStyles()
  const { mapLayout } = useUserDefaults()
  const waits = isPending && mapLayout !== undefined && layouts.every(({ id }) => id !== mapLayout)
  return waits ? undefined : layoutOf(layouts, mapLayout)
}
