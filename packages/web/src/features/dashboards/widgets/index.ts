import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import { type WidgetKind, type WidgetOf, widgetKindOf } from '@leitstand/contract/dashboards/kinds'
import { bar } from './bar/index.ts'
import { empty } from './empty/index.ts'
import { gauge } from './gauge/index.ts'
import { line } from './line/index.ts'
import { nestedDashboard } from './nested-dashboard/index.ts'
import { twinMap } from './twin-map/index.ts'
import { twinTable } from './twin-table/index.ts'
import type { WidgetKindParts } from './types.ts'
import { value } from './value/index.ts'

/** All widget kinds, in the gallery's order. */
export const widgets: { readonly [K in WidgetKind]: WidgetKindParts<WidgetOf<K>> } = {
  line,
  bar,
  gauge,
  value,
  'twin-table': twinTable,
  'twin-map': twinMap,
  empty,
  'nested-dashboard': nestedDashboard,
}

export function widgetFor(definition: WidgetDefinition): WidgetKindParts<WidgetDefinition> {
  return widgets[widgetKindOf(definition)] as WidgetKindParts<WidgetDefinition>
}

/** The kinds the gallery offers. */
export const offeredKinds = (Object.keys(widgets) as WidgetKind[]).filter((kind) => widgets[kind].isOffered)

/**
 * A new widget of a kind.
 * @param stateIds preselected
 */
export function newWidget(kind: WidgetKind, stateIds: readonly number[] = []): WidgetDefinition {
  const { size, create } = widgets[kind]
  const made = create({ title: '', hideHeader: false, floatHeader: false, borderless: false, size })
  return widgetFor(made).states?.put(made, [...stateIds]) ?? made
}

/** The selected states of a widget; none for kinds that have no such selection. */
export function statesOf(definition: WidgetDefinition): readonly number[] {
  return widgetFor(definition).states?.of(definition) ?? []
}

/** The part of a definition that determines its data: all but title, frame and size. */
export function dataPart(definition: WidgetDefinition): string {
  const { title: _t, hideHeader: _h, floatHeader: _f, borderless: _b, size: _s, ...content } = definition
  return JSON.stringify(content)
}

export function hasSameData(a: WidgetDefinition, b: WidgetDefinition): boolean {
  return dataPart(a) === dataPart(b)
}

/** Whether a widget is configured enough to show something. */
export function isReady(definition: WidgetDefinition): boolean {
  return widgetFor(definition).isReady(definition)
}

/** Errors of a definition by field, as keys below `dashboards.faults`. */
export function widgetFaults(definition: WidgetDefinition): Record<string, string> {
  return widgetFor(definition).faults(definition)
}

/** Text key of a widget kind's name. */
export function kindText(definition: WidgetDefinition): string {
  return `dashboards.kinds.${widgetKindOf(definition)}`
}
