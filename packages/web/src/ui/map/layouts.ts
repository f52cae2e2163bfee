import { type BuiltInMapLayout, builtInMapLayouts } from '@leitstand/contract/maps'
import { useTranslation } from 'react-i18next'

/** A look of the map one may choose, with its name in the user's language. */
export interface MapLayout {
  id: BuiltInMapLayout
  title: string
}

/** All looks one may choose, the default first. */
export function useMapLayouts(): readonly [MapLayout, ...MapLayout[]] {
  const { t } = useTranslation()
  const [first, ...others] = builtInMapLayouts.map((id) => ({ id, title: t(`map.layouts.${id}`) }))
  return [first as MapLayout, ...others]
}

/** The look with this id; the default where none was chosen, or one that is no longer there. */
export function layoutOf(layouts: readonly [MapLayout, ...MapLayout[]], id: string | undefined): MapLayout {
  return layouts.find((layout) => layout.id === id) ?? layouts[0]
}
