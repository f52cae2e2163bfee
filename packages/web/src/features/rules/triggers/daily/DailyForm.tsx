import type { DailyTrigger } from '@leitstand/contract/rules/triggers/daily'
import { Chip, Group, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { TriggerFormProps } from '../types.ts'
import { timeOf, timeText, weekdays } from './times.ts'

export default function DailyForm({ trigger, faultAt, onChange }: TriggerFormProps<DailyTrigger>) {
  const { t } = useTranslation()
  const fault = faultAt('days')
  return (
    <Group align="flex-end" gap="md">
      <TextInput
        type="time"
        w={130}
        label={t('rules.triggers.time')}
        value={timeText(trigger)}
        onChange={(event) => onChange({ ...trigger, ...timeOf(event.currentTarget.value) })}
      />
      <div>
        <Chip.Group
          multiple
          value={trigger.days.map(String)}
          onChange={(days) => onChange({ ...trigger, days: days.map(Number).sort() })}
        >
          <Group gap={4} role="group" aria-label={t('rules.triggers.weekdays')}>
            {weekdays.map((day) => (
              <Chip key={day} value={String(day)} size="xs">
                {t(`rules.triggers.days.${day}`)}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        {fault ? (
          <Text size="xs" c="var(--health-error)" role="alert">
            {fault}
          </Text>
        ) : null}
      </div>
      <Text size="xs" c="dimmed" w="100%">
        {t('rules.triggers.zoneHint')}
      </Text>
    </Group>
  )
}
