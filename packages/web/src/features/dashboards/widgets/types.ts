import type { WidgetData, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { ComponentType } from 'react'
import type { Range } from '../../../lib/range.ts'
import type { IconType } from '../../../ui/display/Icon.tsx'

/** Fields of every widget, whatever its kind. */
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
  /** the dashboard's twin: its states are listed first, its children are the default of tables and maps */
  boardTwinId: number | null
  faultAt: (field: string) => string | null
}

/**
 * How live values are handled: merged into the data, also into the tiles' sparklines, or the data becomes
 * stale because only the server can compute it.
 */
export type LiveMode = 'merged' | 'tiles' | 'stale'

/**
 * One widget kind: a folder next to this file. Its texts are `dashboards.kinds.<kind>` and
 * `kindTexts.<kind>`.
 */
export interface WidgetKindParts<W extends WidgetDefinition> {
  readonly icon: IconType
  /** shown in the gallery */
  readonly isOffered: boolean
  /** a heading or spacer: it has no data */
  readonly isHeading: boolean
  /** of a new one */
  readonly size: WidgetFrame['size']
  /** A new, unconfigured widget. */
  create(frame: WidgetFrame): W
  /** Whether enough is configured to show something. */
  isReady(widget: W): boolean
  /** Errors by field, as keys below `dashboards.faults`; the server runs the same checks. */
  faults(widget: W): Record<string, string>
  live(widget: W): LiveMode
  /** absent: the kind has no selection of states */
  readonly states?: { of(widget: W): readonly number[]; put(widget: W, stateIds: number[]): W }
  /** loaded when it is shown */
  readonly View: ComponentType<ViewProps<W>>
  /** its settings; loaded when they are edited */
  readonly Fields: ComponentType<FieldsProps<W>>
}
