import { NumberInput, Select, SimpleGrid } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OwnFieldsProps } from '../types.ts'

export default function PositionFields({ value, onChange, faultAt }: OwnFieldsProps) {
  const { t } = useTranslation()
  const bounds = { latitude: 90, longitude: 180 } as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <Select
        label={t('rules.own.position')}
        allowDeselect={false}
        data={(['latitude', 'longitude', 'distance'] as const).map((position) => ({
          value: position,
          label: t(`rules.own.positions.${position}`),
        }))}
        value={value.position}
        onChange={(position) =>
          onChange({ ...value, position: (position ?? value.position) as typeof value.position })
        }
      />
      {value.position === 'distance'
        ? (['latitude', 'longitude'] as const).map((field) => (
            <NumberInput
              key={field}
              label={t(`rules.own.${field}`)}
              required
              min={-bounds[field]}
              max={bounds[field]}
              decimalScale={7}
              decimalSeparator={t('common.decimal')}
              allowedDecimalSeparators={[',', '.']}
              hideControls
              value={value[field] ?? ''}
              onChange={(next) => onChange({ ...value, [field]: next === '' ? null : Number(next) })}
              error={faultAt(field)}
            />
          ))
        : null}
    </SimpleGrid>
  )
}
