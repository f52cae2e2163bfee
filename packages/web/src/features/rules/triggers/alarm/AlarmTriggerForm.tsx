import type { AlarmTrigger } from '@leitstand/contract/rules/triggers/alarm'
import { Select, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import type { TriggerFormProps } from '../types.ts'

const kinds = ['raised', 'resolved', 'both'] as const

export default function AlarmTriggerForm({ trigger, onChange }: TriggerFormProps<AlarmTrigger>) {
  const { t } = useTranslation()
  return (
    <div className={classes.entryHead}>
      <Select
        label={t('rules.triggers.on')}
        allowDeselect={false}
        data={kinds.map((on) => ({ value: on, label: t(`rules.triggers.alarmOn.${on}`) }))}
        value={trigger.on}
        onChange={(on) => onChange({ ...trigger, on: (on ?? 'raised') as AlarmTrigger['on'] })}
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
