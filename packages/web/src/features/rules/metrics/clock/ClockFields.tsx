import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OwnFieldsProps } from '../types.ts'

export default function ClockFields({ value, onChange }: OwnFieldsProps) {
  const { t } = useTranslation()
  return (
    <Select
      label={t('rules.own.clock')}
      description={t('rules.own.clockHint')}
      allowDeselect={false}
      data={(['minutes', 'hour', 'weekday'] as const).map((clock) => ({
        value: clock,
        label: t(`rules.own.clocks.${clock}`),
      }))}
      value={value.clock}
      onChange={(clock) => onChange({ ...value, clock: (clock ?? value.clock) as typeof value.clock })}
    />
  )
}
