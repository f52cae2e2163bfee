import type { CronTrigger } from '@leitstand/contract/rules/triggers/cron'
import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import type { TriggerFormProps } from '../types.ts'

export default function CronForm({ trigger, faultAt, onChange }: TriggerFormProps<CronTrigger>) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('rules.triggers.expression')}
      description={t('rules.triggers.expressionHint')}
      classNames={{ input: classes.mono ?? '' }}
      maxLength={100}
      value={trigger.expression}
      onChange={(event) => onChange({ ...trigger, expression: event.currentTarget.value })}
      error={faultAt('expression')}
    />
  )
}
