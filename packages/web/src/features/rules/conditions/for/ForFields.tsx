import type { Condition } from '@leitstand/contract/rules'
import { useTranslation } from 'react-i18next'
import { CountField } from '../../CountField.tsx'
import type { FieldsProps } from '../types.ts'

/** As in the contract. */
const lastingMinutesMax = 44_640

export default function ForFields({ condition, onChange }: FieldsProps<Extract<Condition, { op: 'for' }>>) {
  const { t } = useTranslation()
  return (
    <CountField
      label={t('rules.forMinutes')}
      unit={t('rules.minutes')}
      max={lastingMinutesMax}
      value={condition.minutes}
      onChange={(minutes) => onChange({ ...condition, minutes })}
    />
  )
}
