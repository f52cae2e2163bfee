import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconChartLine } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { newTimeChart, timeChart } from '../timeChart.ts'
import type { WidgetKindParts } from '../types.ts'

export const line: WidgetKindParts<WidgetOf<'line'>> = {
  ...timeChart,
  icon: IconChartLine,
  create: (frame) => ({
    ...frame,
    type: 'chart',
    chartOptions: { kind: 'line', ...newTimeChart, smooth: false, area: false },
  }),
  states: {
    of: ({ chartOptions }) => chartOptions.stateIds,
    put: (widget, stateIds) => ({ ...widget, chartOptions: { ...widget.chartOptions, stateIds } }),
  },
  View: onDemand(() => import('./LineView.tsx')),
  Fields: onDemand(() => import('./LineFields.tsx')),
}
