import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconGauge } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { missingStates } from '../timeChart.ts'
import type { WidgetKindParts } from '../types.ts'

type Gauge = WidgetOf<'gauge'>

export const gauge: WidgetKindParts<Gauge> = {
  icon: IconGauge,
  isOffered: true,
  isHeading: false,
  size: { columns: 3, minHeightPx: 260 },
  create: (frame) => ({
    ...frame,
    type: 'chart',
    chartOptions: { kind: 'gauge', stateIds: [], gaugeValue: 'latest' },
  }),
  isReady: ({ chartOptions }) => chartOptions.stateIds.length > 0,
  faults: ({ chartOptions }) => ({
    ...missingStates(chartOptions.stateIds),
    ...limitFaults(chartOptions),
  }),
  live: ({ chartOptions }) => (chartOptions.gaugeValue === 'latest' ? 'merged' : 'stale'),
  states: {
    of: ({ chartOptions }) => chartOptions.stateIds,
    put: (widget, stateIds) => ({ ...widget, chartOptions: { ...widget.chartOptions, stateIds } }),
  },
  View: onDemand(() => import('./Gauges.tsx')),
  Fields: onDemand(() => import('./GaugeFields.tsx')),
}

function limitFaults(options: Gauge['chartOptions']): Record<string, string> {
  const faults: Record<string, string> = {}
  const { min, max, lowerThreshold, upperThreshold } = options
  if (min !== undefined && max !== undefined && min >= max) faults.max = 'maxAboveMin'
  for (const [name, value] of Object.entries({ lowerThreshold, upperThreshold })) {
    if (value === undefined) continue
    if ((min !== undefined && value <= min) || (max !== undefined && value >= max)) faults[name] = 'inside'
  }
  if (lowerThreshold !== undefined && upperThreshold !== undefined && lowerThreshold >= upperThreshold)
    faults.upperThreshold = 'order'
  return faults
}
