import type { MapStyle } from '@leitstand/contract/maps'

/** A selectable map layout, with its name in the user's language. */
export interface MapLayout {
  id: string
  title: string
  /** set: configured by the operator; absent: built in */
  style?: MapStyle
}

/** The default first. */
export type MapLayouts = readonly [MapLayout, ...MapLayout[]]

/** The layout with this id; the default if none was selected or it no longer exists. */
export function layoutOf(layouts: MapLayouts, id: string | undefined): MapLayout {
  return layouts.find((layout) => layout.id === id) ?? layouts[0]
}
