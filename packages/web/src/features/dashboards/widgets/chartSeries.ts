import type { WidgetData } from '@leitstand/contract/dashboards'
import type { ChartSeries } from '../../../ui/chart/types.ts'
import { bridgeGaps } from '../../twins/pure.ts'
import { seriesNames } from './names.ts'

type Series = NonNullable<WidgetData['series']>[number]

export function toChartSeries(series: readonly Series[]): ChartSeries[] {
  const names = seriesNames(series)
  return series.map((each, index) => ({
    key: String(each.stateId),
    name: names[index] ?? each.title,
    unit: each.unit,
    decimals: each.decimals,
    timeZone: each.timeZone,
    points: bridgeGaps(each.points),
  }))
}
