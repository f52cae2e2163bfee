import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import type { WidgetKindParts } from './types.ts'

type TimeChartParts = Pick<
  WidgetKindParts<WidgetOf<'line' | 'bar'>>,
  'isOffered' | 'isHeading' | 'size' | 'isReady' | 'faults' | 'live'
>

/** What all time charts have in common. */
export const timeChart: TimeChartParts = {
  isOffered: true,
  isHeading: false,
  size: { columns: 6, minHeightPx: 320 },
  isReady: ({ chartOptions }) => chartOptions.stateIds.length > 0,
  faults: ({ chartOptions }) => missingStates(chartOptions.stateIds),
  live: () => 'merged',
}

/** Default options of a new one. */
export const newTimeChart = {
  stateIds: [] as number[],
  method: 'avg' as const,
  thresholds: [] as { value: number; label: string }[],
}

/** Error of a widget without states. */
export function missingStates(stateIds: readonly number[]): Record<string, string> {
  return stateIds.length > 0 ? {} : { stateIds: 'stateIds' }
}
