import type { DeviceGrowth } from '@leitstand/contract/virtualdevices'
import type { ChartSeries } from '../../../ui/chart/Chart.tsx'

export type Split = 'total' | 'connector' | 'account'

/** Steps of a period: days for a short one, else equal intervals a chart can still show. */
export function stepsOf(days: number): number {
  return Math.min(days, 90)
}

/** The lines of the chart. */
export function seriesOf(growth: DeviceGrowth, split: Split, totalName: string): ChartSeries[] {
  const points = (counts: readonly number[]) =>
    growth.times.map((time, index) => [Date.parse(time), counts[index] ?? null] as const)
  if (split === 'total') return [{ key: 'total', name: totalName, points: points(growth.total) }]
  if (split === 'connector') {
    return growth.byConnector.map(({ connectorId, name, counts }) => ({
      key: `connector ${connectorId}`,
      name,
      points: points(counts),
    }))
  }
  return growth.byAccount.map(({ accountId, name, counts }) => ({
    key: `account ${accountId}`,
    name,
    points: points(counts),
  }))
}
