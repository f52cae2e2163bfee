import { type AlarmEscalation, escalationLimits } from '@leitstand/contract/rules/actions/alarm'
import { Button, Group, NumberInput, Select, Stack, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { RemoveButton } from '../../../../ui/forms/RemoveButton.tsx'
import classes from '../../rules.module.css'
import { RecipientsField } from '../email/RecipientsField.tsx'
import { type EscalationDraft, newEscalation, newStep, type StepDraft } from './escalationDraft.ts'

interface EscalationFieldsProps {
  accountId: number
  value: EscalationDraft | undefined
  error: string | null
  onChange: (escalation: EscalationDraft | undefined) => void
}

/** Who is reminded while the alarm is open, and how often. */
export function EscalationFields({ accountId, value, error, onChange }: EscalationFieldsProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <Switch
        label={t('rules.escalation.on')}
        description={t('rules.escalation.hint')}
        checked={value !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? newEscalation() : undefined)}
      />
      {value === undefined ? null : (
        <>
          {value.steps.map((step, index) => (
            <div key={step.id} className={classes.entryHead}>
              <NumberInput
                label={t('rules.escalation.after')}
                w={150}
                min={1}
                max={escalationLimits.afterMinutesMax}
                allowDecimal={false}
                value={step.afterMinutes}
                onChange={(minutes) =>
                  typeof minutes === 'number' && onChange(withStep(value, { ...step, afterMinutes: minutes }))
                }
              />
              <div style={{ flex: 1, minWidth: 220 }}>
                <RecipientsField
                  accountId={accountId}
                  max={escalationLimits.recipientsMax}
                  value={step.recipients}
                  onChange={(recipients) => onChange(withStep(value, { ...step, recipients }))}
                  error={step.recipients.length === 0 ? error : null}
                />
              </div>
              {value.steps.length > 1 ? (
                <RemoveButton
                  label={t('rules.escalation.removeStep', { number: index + 1 })}
                  onClick={() =>
                    onChange({ ...value, steps: value.steps.filter(({ id }) => id !== step.id) })
                  }
                />
              ) : null}
            </div>
          ))}
          {error !== null && value.steps.every(({ recipients }) => recipients.length > 0) ? (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {error}
            </Text>
          ) : null}
          {value.steps.length < escalationLimits.stepsMax ? (
            <Group>
              <Button
                variant="subtle"
                size="xs"
                leftSection={<IconPlus size={14} aria-hidden />}
                onClick={() => onChange({ ...value, steps: [...value.steps, newStep(value.steps)] })}
              >
                {t('rules.escalation.addStep')}
              </Button>
            </Group>
          ) : null}
          <Group gap="md" align="flex-start">
            <NumberInput
              label={t('rules.escalation.every')}
              description={t('rules.escalation.everyHint')}
              w={240}
              min={1}
              max={escalationLimits.everyMinutesMax}
              allowDecimal={false}
              value={value.everyMinutes ?? ''}
              onChange={(minutes) =>
                onChange({
                  ...value,
                  everyMinutes: typeof minutes === 'number' && minutes > 0 ? minutes : null,
                })
              }
            />
            <Select
              label={t('rules.escalation.until')}
              w={240}
              allowDeselect={false}
              data={(['acknowledged', 'resolved'] as const).map((until) => ({
                value: until,
                label: t(`rules.escalation.untils.${until}`),
              }))}
              value={value.until}
              onChange={(until) =>
                onChange({ ...value, until: (until ?? 'acknowledged') as AlarmEscalation['until'] })
              }
            />
          </Group>
        </>
      )}
    </Stack>
  )
}

function withStep(escalation: EscalationDraft, step: StepDraft): EscalationDraft {
  return { ...escalation, steps: escalation.steps.map((each) => (each.id === step.id ? step : each)) }
}
