import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { NumberInput, Select, SimpleGrid } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { chartStatesMax, StatesField } from '../StatesField.tsx'
import type { FieldsProps } from '../types.ts'
import { withoutUndefined } from '../withoutUndefined.ts'

type Options = WidgetOf<'gauge'>['chartOptions']

const gaugeValues = ['latest', 'average', 'min', 'max', 'sum', 'earliest'] as const

export default function GaugeFields(props: FieldsProps<WidgetOf<'gauge'>>) {
  const { definition, onChange, boardTwinId, faultAt } = props
  const { t } = useTranslation()
  const options = definition.chartOptions
  const set = (change: Partial<Options>) =>
    onChange({ ...definition, chartOptions: withoutUndefined({ ...options, ...change }) })
  const field = (name: 'min' | 'max' | 'lowerThreshold' | 'upperThreshold') => (
    <NumberInput
      key={name}
      label={t(`dashboards.gauge.${name}`)}
      value={options[name] ?? ''}
      onChange={(value) => set({ [name]: value === '' ? undefined : Number(value) } as Partial<Options>)}
      decimalSeparator={t('common.decimal')}
      allowedDecimalSeparators={[',', '.']}
      error={faultAt(name)}
    />
  )
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
      <Select
        label={t('dashboards.gaugeValue')}
        description={t('dashboards.gaugeValueHint')}
        allowDeselect={false}
        data={gaugeValues.map((value) => ({ value, label: t(`dashboards.gaugeValues.${value}`) }))}
        value={options.gaugeValue}
        onChange={(value) => set({ gaugeValue: (value ?? 'latest') as Options['gaugeValue'] })}
      />
      <SimpleGrid cols={2}>
        {(['min', 'max', 'lowerThreshold', 'upperThreshold'] as const).map(field)}
      </SimpleGrid>
    </>
  )
}
