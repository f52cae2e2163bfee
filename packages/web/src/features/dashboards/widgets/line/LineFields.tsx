import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { Checkbox, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TimeChartFields } from '../TimeChartFields.tsx'
import type { FieldsProps } from '../types.ts'

export default function LineFields(props: FieldsProps<WidgetOf<'line'>>) {
  const { definition, onChange } = props
  const { chartOptions } = definition
  const { t } = useTranslation()
  const set = (change: { smooth?: boolean; area?: boolean }) =>
    onChange({ ...definition, chartOptions: { ...chartOptions, ...change } })
  return (
    <TimeChartFields {...props}>
      <Group gap="lg">
        <Checkbox
          label={t('history.smooth')}
          checked={chartOptions.smooth}
          onChange={(event) => set({ smooth: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('dashboards.area')}
          checked={chartOptions.area}
          onChange={(event) => set({ area: event.currentTarget.checked })}
        />
      </Group>
    </TimeChartFields>
  )
}
