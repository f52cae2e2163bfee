import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OwnFieldsProps } from '../types.ts'

export default function PropertyFields({ value, onChange, faultAt }: OwnFieldsProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('rules.own.property')}
      description={t('rules.own.propertyHint')}
      required
      maxLength={100}
      value={value.property}
      onChange={(event) => onChange({ ...value, property: event.currentTarget.value })}
      error={faultAt('property')}
    />
  )
}
