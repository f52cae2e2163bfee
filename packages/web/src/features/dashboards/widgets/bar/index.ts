import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconChartBar } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { newTimeChart, timeChart } from '../timeChart.ts'
import type { WidgetKindParts } from '../types.ts'

export const bar: WidgetKindParts<WidgetOf<'bar'>> = {
  ...timeChart,
  icon: IconChartBar,
  create: (frame) => ({
    ...frame,
    type: 'chart',
    chartOptions: { kind: 'bar', ...newTimeChart },
  }),
  states: {
    of: ({ chartOptions }) => chartOptions.stateIds,
    put: (widget, stateIds) => ({ ...widget, chartOptions: { ...widget.chartOptions, stateIds } }),
  },
  View: onDemand(() => import('./BarView.tsx')),
  Fields: onDemand(() => import('./BarFields.tsx')),
}
