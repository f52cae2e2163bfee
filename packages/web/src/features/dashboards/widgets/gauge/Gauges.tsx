import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { useTranslation } from 'react-i18next'
import { Chart, type ChartThreshold } from '../../../../ui/chart/Chart.tsx'
import { EmptyState } from '../../../../ui/feedback/EmptyState.tsx'
import classes from '../../dashboards.module.css'
import { contentHeight } from '../Fill.tsx'
import { seriesNames } from '../names.ts'
import type { ViewProps } from '../types.ts'

export default function Gauges({ definition, data }: ViewProps<WidgetOf<'gauge'>>) {
  const { t } = useTranslation()
  const values = data.values ?? []
  const names = seriesNames(values)
  const { min, max, lowerThreshold, upperThreshold } = definition.chartOptions
  const thresholds: ChartThreshold[] = [
    ...(lowerThreshold === undefined ? [] : [{ value: lowerThreshold, tone: 'warning' as const }]),
    ...(upperThreshold === undefined ? [] : [{ value: upperThreshold, tone: 'error' as const }]),
  ]
  if (values.length === 0) return <EmptyState title={t('history.empty')} compact />
  return (
    <div className={classes.gauges}>
      {values.map((value, index) => (
        <div key={value.stateId} className={classes.gauge}>
          <Chart
            kind="gauge"
            plain
            title={names[index] ?? value.title}
            series={[
              {
                key: String(value.stateId),
                name: names[index] ?? value.title,
                unit: value.unit,
                points: value.value === null ? [] : [[Date.parse(value.time ?? '') || 0, value.value]],
              },
            ]}
            thresholds={thresholds}
            decimals={value.decimals}
            height={`${Math.min(280, contentHeight(definition))}px`}
            {...(min === undefined ? {} : { min })}
            {...(max === undefined ? {} : { max })}
          />
        </div>
      ))}
    </div>
  )
}
