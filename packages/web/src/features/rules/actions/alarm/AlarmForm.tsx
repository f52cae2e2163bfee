import { alarmCategories } from '@leitstand/contract/alarms'
import type { AlarmAction } from '@leitstand/contract/rules/actions/alarm'
import { Select, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import { NoMailServer } from '../email/EmailForm.tsx'
import { RecipientStates } from '../email/RecipientStates.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import type { FormProps } from '../types.ts'
import { EscalationFields } from './EscalationFields.tsx'
import type { AlarmDraft } from './escalationDraft.ts'

export default function AlarmForm({
  ruleId,
  accountId,
  action,
  aliases,
  fitting,
  faultAt,
  onChange,
}: FormProps<AlarmDraft>) {
  const { t } = useTranslation()
  return (
    <>
      <div className={classes.entryHead}>
        <TextField
          label={t('rules.message')}
          required
          value={action.message}
          maxLength={500}
          aliases={aliases}
          error={faultAt('message') ?? faultAt('')}
          onChange={(message) => onChange({ ...action, message })}
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
        <Select
          label={t('rules.category')}
          w={150}
          allowDeselect={false}
          data={alarmCategories.map((category) => ({
            value: category,
            label: t(`alarms.categories.${category}`),
          }))}
          value={action.category ?? fitting}
          onChange={(category) =>
            onChange({ ...action, category: (category ?? 'unknown') as AlarmAction['category'] })
          }
        />
      </div>
      <Text size="xs" c="dimmed">
        {t('rules.alarmHint')}
      </Text>
      <PlaceholderHint aliases={aliases} />
      {action.escalation === undefined ? null : <NoMailServer accountId={accountId} />}
      <EscalationFields
        accountId={accountId}
        value={action.escalation}
        error={faultAt('escalation')}
        onChange={(escalation) => onChange(withEscalation(action, escalation))}
      />
      {ruleId === undefined || action.escalation === undefined ? null : (
        <RecipientStates
          ruleId={ruleId}
          addresses={[...new Set(action.escalation.steps.flatMap(({ recipients }) => recipients))]}
        />
      )}
    </>
  )
}

function withEscalation(action: AlarmDraft, escalation: AlarmDraft['escalation']): AlarmDraft {
  const { escalation: _before, ...rest } = action
  return escalation === undefined ? rest : { ...rest, escalation }
}
