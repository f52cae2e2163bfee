import type { RuleStateTrigger } from '@leitstand/contract/rules/triggers/rule'
import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { RulePicker } from '../../RulePicker.tsx'
import classes from '../../rules.module.css'
import type { TriggerFormProps } from '../types.ts'

const kinds = ['fired', 'met', 'unmet'] as const

export default function RuleStateForm({ trigger, faultAt, onChange }: TriggerFormProps<RuleStateTrigger>) {
  const { t } = useTranslation()
  return (
    <div className={classes.entryHead}>
      <RulePicker
        label={t('rules.triggers.rule')}
        required
        value={trigger.ruleId > 0 ? trigger.ruleId : null}
        onChange={(ruleId) => onChange({ ...trigger, ruleId: ruleId ?? 0 })}
        error={faultAt('ruleId')}
      />
      <Select
        label={t('rules.triggers.on')}
        w={220}
        allowDeselect={false}
        data={kinds.map((on) => ({ value: on, label: t(`rules.triggers.ruleOn.${on}`) }))}
        value={trigger.on}
        onChange={(on) => onChange({ ...trigger, on: (on ?? 'fired') as RuleStateTrigger['on'] })}
      />
    </div>
  )
}
