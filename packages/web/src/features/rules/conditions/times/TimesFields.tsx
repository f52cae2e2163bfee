import type { Condition } from '@leitstand/contract/rules'
import { useTranslation } from 'react-i18next'
import { CountField } from '../../CountField.tsx'
import type { FieldsProps } from '../types.ts'

/** As in the contract. */
const timesMax = 100

export default function TimesFields(props: FieldsProps<Extract<Condition, { op: 'times' }>>) {
  const { condition, onChange } = props
  const { t } = useTranslation()
  return (
    <>
      <CountField
        label={t('rules.timesNeeded')}
        unit={t('rules.timesOf')}
        max={timesMax}
        value={condition.count}
        onChange={(count) => onChange({ ...condition, count })}
      />
      <CountField
        label={t('rules.timesSeen')}
        unit={t('rules.timesValues')}
        max={timesMax}
        value={condition.of}
        onChange={(of) => onChange({ ...condition, of })}
      />
    </>
  )
}
