import type { IntervalTrigger } from '@leitstand/contract/rules/triggers/interval'
import { NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { TriggerFormProps } from '../types.ts'

export default function IntervalForm({ trigger, onChange }: TriggerFormProps<IntervalTrigger>) {
  const { t } = useTranslation()
  return (
    <NumberInput
      label={t('rules.triggers.hours')}
      w={150}
      min={1}
      max={8784}
      allowDecimal={false}
      value={trigger.hours}
      onChange={(value) => onChange({ ...trigger, hours: Math.max(1, Number(value) || 1) })}
    />
  )
}
