import type { HealthTrigger } from '@leitstand/contract/rules/triggers/health'
import { Select, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import type { TriggerFormProps } from '../types.ts'

const kinds = ['worse', 'better', 'both'] as const

export default function HealthTriggerForm({ trigger, onChange }: TriggerFormProps<HealthTrigger>) {
  const { t } = useTranslation()
  return (
    <div className={classes.entryHead}>
      <Select
        label={t('rules.triggers.on')}
        allowDeselect={false}
        data={kinds.map((on) => ({ value: on, label: t(`rules.triggers.healthOn.${on}`) }))}
        value={trigger.on}
        onChange={(on) => onChange({ ...trigger, on: (on ?? 'worse') as HealthTrigger['on'] })}
      />
      <Switch
        mt={28}
        label={t('rules.triggers.below')}
        checked={trigger.below}
        onChange={(event) => onChange({ ...trigger, below: event.currentTarget.checked })}
      />
    </div>
  )
}
