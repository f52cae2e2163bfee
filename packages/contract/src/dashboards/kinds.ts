import type { WidgetDefinition } from './widgets.ts'

type Chart = Extract<WidgetDefinition, { type: 'chart' }>
type ChartKind = Chart['chartOptions']['kind']

/** Kinds of widgets: the types, with `chart` replaced by the kinds of charts. */
export type WidgetKind = Exclude<WidgetDefinition['type'], 'chart'> | ChartKind

/** The definition of a widget of one kind. */
export type WidgetOf<K extends WidgetKind> = K extends ChartKind
  ? Omit<Chart, 'chartOptions'> & { chartOptions: Extract<Chart['chartOptions'], { kind: K }> }
  : Extract<WidgetDefinition, { type: K }>

export function widgetKindOf(definition: WidgetDefinition): WidgetKind {
  return 'chartOptions' in definition ? definition.chartOptions.kind : definition.type
}
