import type { WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { ComponentType } from 'react'
import type { Range } from '../../../lib/range.ts'
import type { IconType } from '../../../ui/display/Icon.tsx'

/** What every widget has, whatever its kind. */
export type WidgetFrame = Pick<
  WidgetDefinition,
  'title' | 'hideHeader' | 'floatHeader' | 'borderless' | 'size'
>

export interface ViewProps<W> {
  definition: W
  data: WidgetData
  /** ends of the time axis */
  range: { fromMs: number; toMs: number }
  onZoom?: (range: Range) => void
}

export interface FieldsProps<W> {
  definition: W
  onChange: (definition: W) => void
  /** the twin of the dashboard: its states come first, its children are the default of tables and maps */
  boardTwinId: number | null
  faultAt: (field: string) => string | null
}

/**
 * What becomes of values that arrive live: they are merged into the data, also into the small curves of tiles, or make
 * it stale because only the server can compute it.
 */
export type LiveMode = 'merged' | 'tiles' | 'stale'

/** One kind of widget: a folder beside this file. Its texts are `dashboards.kinds.<kind>` and `kindTexts.<kind>`. */
export interface WidgetKindParts<W extends WidgetDefinition> {
  readonly icon: IconType
  /** the gallery offers it */
  readonly isOffered: boolean
  /** it is a heading or room between others: it has no data */
  readonly isHeading: boolean
  /** of a new one */
  readonly size: WidgetFrame['size']
  /** A new one, nothing chosen yet. */
  create(frame: WidgetFrame): W
  /** Whether enough is chosen to show something. */
  isReady(widget: W): boolean
  /** Faults by field, as keys below `dashboards.faults`; the server checks the same. */
  faults(widget: W): Record<string, string>
  live(widget: W): LiveMode
  /** fetched when it is shown */
  readonly View: ComponentType<ViewProps<W>>
  /** its settings; fetched when they are edited */
  readonly Fields: ComponentType<FieldsProps<W>>
}
