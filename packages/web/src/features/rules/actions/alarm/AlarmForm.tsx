import type { AlarmAction } from '@leitstand/contract/rules/actions/alarm'
import { Select, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import type { FormProps } from '../types.ts'

export default function AlarmForm({ action, aliases, faultAt, onChange }: FormProps<AlarmAction>) {
  const { t } = useTranslation()
  return (
    <>
      <div className={classes.entryHead}>
        <TextInput
          label={t('rules.message')}
          required
          value={action.message}
          maxLength={500}
          onChange={(event) => onChange({ ...action, message: event.currentTarget.value })}
          error={faultAt('message') ?? faultAt('')}
        />
        <Select
          label={t('rules.severity')}
          w={150}
          allowDeselect={false}
          data={(['warning', 'error'] as const).map((severity) => ({
            value: severity,
            label: t(`rules.severities.${severity}`),
          }))}
          value={action.severity}
          onChange={(severity) =>
            onChange({ ...action, severity: (severity ?? 'warning') as AlarmAction['severity'] })
          }
        />
      </div>
      <Text size="xs" c="dimmed">
        {t('rules.alarmHint')}
      </Text>
      <PlaceholderHint aliases={aliases} />
    </>
  )
}
