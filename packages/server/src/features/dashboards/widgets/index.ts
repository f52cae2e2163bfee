import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import { type WidgetKind, type WidgetOf, widgetKindOf } from '@leitstand/contract/dashboards/kinds'
import { distinctUses, type Use } from '../../../platform/uses.ts'
import { bar } from './bar/index.ts'
import { empty } from './empty/index.ts'
import { gauge } from './gauge/index.ts'
import { line } from './line/index.ts'
import { nestedDashboard } from './nested-dashboard/index.ts'
import { twinMap } from './twin-map/index.ts'
import { twinTable } from './twin-table/index.ts'
import type { Widget } from './types.ts'
import { value } from './value/index.ts'

/** Every kind of widget. */
const widgets: { readonly [K in WidgetKind]: Widget<WidgetOf<K>> } = {
  line,
  bar,
  gauge,
  value,
  'twin-table': twinTable,
  'twin-map': twinMap,
  empty,
  'nested-dashboard': nestedDashboard,
}

export function widgetFor(definition: WidgetDefinition): Widget<WidgetDefinition> {
  return widgets[widgetKindOf(definition)] as Widget<WidgetDefinition>
}

/** The references of a widget, each once. */
export function usesOfWidget(definition: WidgetDefinition): Use[] {
  return distinctUses(widgetFor(definition).uses(definition))
}

/** The states and twins that a widget refers to. */
export function referencesOf(definition: WidgetDefinition): { stateIds: number[]; twinIds: number[] } {
  const uses = usesOfWidget(definition)
  const idsOf = (wanted: Use['kind']) => [
    ...new Set(uses.filter(({ kind }) => kind === wanted).map(({ id }) => id)),
  ]
  return { stateIds: idsOf('state'), twinIds: idsOf('twin') }
}
