import * as z from 'zod'
import { widgetFrame } from './frame.ts'
import { BarOptions } from './widgets/bar.ts'
import { EmptyWidget } from './widgets/empty.ts'
import { GaugeOptions } from './widgets/gauge.ts'
import { LineOptions } from './widgets/line.ts'
import { NestedDashboardWidget } from './widgets/nested-dashboard.ts'
import { TwinMapWidget } from './widgets/twin-map.ts'
import { TwinTableWidget } from './widgets/twin-table.ts'
import { ValueWidget } from './widgets/value.ts'

/** Every kind of chart. */
const ChartOptions = z.discriminatedUnion('kind', [LineOptions, BarOptions, GaugeOptions])

const ChartWidget = z.object({
  type: z.literal('chart'),
  ...widgetFrame,
  chartOptions: ChartOptions.prefault({}),
})

/** Every type of widget. */
export const WidgetDefinition = z.discriminatedUnion('type', [
  EmptyWidget,
  ChartWidget,
  ValueWidget,
  TwinTableWidget,
  TwinMapWidget,
  NestedDashboardWidget,
])
export type WidgetDefinition = z.infer<typeof WidgetDefinition>
