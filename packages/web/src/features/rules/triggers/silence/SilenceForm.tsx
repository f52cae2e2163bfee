import { type SilenceTrigger, silenceMinutesMax } from '@leitstand/contract/rules/triggers/silence'
import { NumberInput, Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import type { TriggerFormProps } from '../types.ts'

export default function SilenceForm({
  trigger,
  aliases,
  faultAt,
  onChange,
}: TriggerFormProps<SilenceTrigger>) {
  const { t } = useTranslation()
  return (
    <div className={classes.entryHead}>
      <Select
        label={t('rules.metric')}
        allowDeselect={false}
        data={[...new Set(aliases)]}
        value={aliases.includes(trigger.metric) ? trigger.metric : null}
        onChange={(metric) => onChange({ ...trigger, metric: metric ?? '' })}
        error={faultAt('metric')}
      />
      <NumberInput
        label={t('rules.triggers.minutes')}
        w={150}
        min={1}
        max={silenceMinutesMax}
        allowDecimal={false}
        value={trigger.minutes}
        onChange={(value) => onChange({ ...trigger, minutes: Math.max(1, Number(value) || 1) })}
      />
    </div>
  )
}
