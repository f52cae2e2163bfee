import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import type { AggregationDuration, AggregationMethod } from '@leitstand/contract/series'
import { Select, SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { chartStatesMax, StatesField } from './StatesField.tsx'
import { Thresholds } from './Thresholds.tsx'
import type { FieldsProps } from './types.ts'
import { withoutUndefined } from './withoutUndefined.ts'

const methods: readonly AggregationMethod[] = ['avg', 'min', 'max', 'sum', 'median', 'count', 'latest']
const durations: readonly AggregationDuration[] = ['5m', '15m', '1h', '6h', '1d', '1w', '1mo']

type TimeChartWidget = WidgetOf<'line' | 'bar'>

interface TimeChartFieldsProps<W> extends FieldsProps<W> {
  /** settings of this kind only */
  children?: ReactNode
}

/** Settings common to all time charts. */
export function TimeChartFields<W extends TimeChartWidget>(props: TimeChartFieldsProps<W>) {
  const { definition, onChange, boardTwinId, faultAt, children } = props
  const { t } = useTranslation()
  const options: TimeChartWidget['chartOptions'] = definition.chartOptions
  const set = (change: Partial<TimeChartWidget['chartOptions']>) =>
    onChange({ ...definition, chartOptions: withoutUndefined({ ...options, ...change }) })
  return (
    <>
      <StatesField
        value={options.stateIds}
        onChange={(stateIds) => set({ stateIds })}
        max={chartStatesMax}
        drawable
        boardTwinId={boardTwinId}
        error={faultAt('stateIds')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('history.interval')}
          allowDeselect={false}
          data={[
            { value: 'auto', label: t('dashboards.automatic') },
            { value: 'raw', label: t('dashboards.raw') },
            ...durations.map((duration) => ({ value: duration, label: t(`series.intervals.${duration}`) })),
          ]}
          value={options.duration ?? 'auto'}
          onChange={(duration) =>
            set({
              duration: duration === 'auto' || duration === null ? undefined : (duration as 'raw'),
            } as Partial<TimeChartWidget['chartOptions']>)
          }
        />
        <Select
          label={t('history.method')}
          allowDeselect={false}
          disabled={options.duration === 'raw'}
          data={methods.map((method) => ({ value: method, label: t(`series.methods.${method}`) }))}
          value={options.method}
          onChange={(method) => set({ method: (method ?? 'avg') as AggregationMethod })}
        />
      </SimpleGrid>
      {children}
      <Thresholds value={options.thresholds} onChange={(thresholds) => set({ thresholds })} />
    </>
  )
}
