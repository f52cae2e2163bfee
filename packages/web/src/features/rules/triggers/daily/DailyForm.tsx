import type { DailyTrigger } from '@leitstand/contract/rules/triggers/daily'
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TimeField } from '../../../../ui/forms/TimeField.tsx'
import { Weekdays } from '../../Weekdays.tsx'
import type { TriggerFormProps } from '../types.ts'
import { timeOf, timeText } from './times.ts'

export default function DailyForm({ trigger, faultAt, onChange }: TriggerFormProps<DailyTrigger>) {
  const { t } = useTranslation()
  const fault = faultAt('days')
  return (
    <>
      <TimeField
        label={t('rules.triggers.time')}
        value={timeText(trigger)}
        onChange={(time) => onChange({ ...trigger, ...timeOf(time) })}
      />
      <Weekdays days={trigger.days} onChange={(days) => onChange({ ...trigger, days })} />
      {fault ? (
        <Text size="xs" c="var(--health-error)" role="alert">
          {fault}
        </Text>
      ) : null}
      <Text size="xs" c="dimmed">
        {t('rules.triggers.zoneHint')}
      </Text>
    </>
  )
}
