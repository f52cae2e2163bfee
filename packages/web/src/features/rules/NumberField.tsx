import type { Operand } from '@leitstand/contract/rules'
import { NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** A constant number; empty counts as 0. */
export function NumberField(props: { label: string; value: number; onChange: (operand: Operand) => void }) {
  const { t } = useTranslation()
  return (
    <NumberInput
      size="xs"
      aria-label={props.label}
      value={props.value}
      onChange={(value) => props.onChange({ value: value === '' ? 0 : Number(value) })}
      decimalSeparator={t('common.decimal')}
      allowedDecimalSeparators={[',', '.']}
      hideControls
    />
  )
}
