import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconChartLine } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { toChartSeries } from './chartSeries.ts'
import { contentHeight, Fill } from './Fill.tsx'
import type { ViewProps } from './types.ts'

interface TimeChartProps extends ViewProps<WidgetOf<'line' | 'bar'>> {
  smooth?: boolean
  area?: boolean
}

/** Series over time. */
export function TimeChart({ definition, data, range, onZoom, smooth, area }: TimeChartProps) {
  const { t } = useTranslation()
  const series = data.series ?? []
  const { kind, thresholds, min, max } = definition.chartOptions
  if (series.every((each) => each.points.length === 0))
    return (
      <EmptyState icon={IconChartLine} title={t('history.empty')} text={t('history.emptyText')} compact />
    )
  return (
    <Fill minHeightPx={contentHeight(definition)}>
      <Chart
        kind={kind}
        title={definition.title || t('dashboards.chart')}
        series={toChartSeries(series)}
        smooth={smooth ?? false}
        area={area ?? false}
        thresholds={thresholds.map(({ value, label }) => ({ value, label }))}
        range={range}
        height="100%"
        {...(min === undefined ? {} : { min })}
        {...(max === undefined ? {} : { max })}
        {...(onZoom ? { onZoom } : {})}
      />
    </Fill>
  )
}
