import { builtInMapLayouts } from '@leitstand/contract/maps'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useUserDefaults } from '../../lib/session.ts'
import { layoutOf, type MapLayout, type MapLayouts } from './layouts.ts'

/** They change with a restart of the server only. */
function useMapStyles() {
  return useQuery(api.map.styles.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
}

/** All looks one may choose, the default first; those of the installation as soon as they are known. */
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

/** The look the user has chosen; undefined while it is not known whether it is there. */
export function useChosenLayout(): MapLayout | undefined {
  const layouts = useMapLayouts()
  const { isPending } = useMapStyles()
  const { mapLayout } = useUserDefaults()
  const waits = isPending && mapLayout !== undefined && layouts.every(({ id }) => id !== mapLayout)
  return waits ? undefined : layoutOf(layouts, mapLayout)
}
