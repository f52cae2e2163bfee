import type { State } from '@leitstand/contract/states'
import type { ChartThreshold } from '../../../ui/chart/Chart.tsx'

/** Thresholds of a state as lines in a chart. */
export function thresholdsOf(
  { visualization }: Pick<State, 'visualization'>,
  t: (key: string) => string,
): ChartThreshold[] {
  const { lowerThreshold, upperThreshold } = visualization
  const lines: ChartThreshold[] = []
  if (lowerThreshold !== undefined)
    lines.push({ value: lowerThreshold, label: t('states.levels.warning'), tone: 'warning' })
  if (upperThreshold !== undefined)
    lines.push({ value: upperThreshold, label: t('states.levels.error'), tone: 'error' })
  return lines
}
