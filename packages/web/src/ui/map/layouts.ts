import type { MapStyle } from '@leitstand/contract/maps'

/** A look of the map one may choose, with its name in the user's language. */
export interface MapLayout {
  id: string
  title: string
  /** set: named by the operator of the installation; else one the console brings along */
  style?: MapStyle
}

/** The default first. */
export type MapLayouts = readonly [MapLayout, ...MapLayout[]]

/** The look with this id; the default where none was chosen, or one that is no longer there. */
export function layoutOf(layouts: MapLayouts, id: string | undefined): MapLayout {
  return layouts.find((layout) => layout.id === id) ?? layouts[0]
}
