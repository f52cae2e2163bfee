import { ruleMailLimits } from '@leitstand/contract/rules'
import { ActionIcon, Button, Group, Menu, Select, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconMail, IconPlus, IconTrash, IconWriting } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconType } from '../../ui/Icon.tsx'
import { OperandField } from './ConditionBuilder.tsx'
import { type ActionDraft, newAction } from './draft.ts'
import { RecipientStates } from './RecipientStates.tsx'
import type { RuleStates } from './rule-states.tsx'
import classes from './rules.module.css'
import type { FaultText } from './use-rule-form.ts'

/** Most actions and recipients, as in the contract. */
const actionsMax = 20
const recipientsMax = 50

const icons: Record<ActionDraft['kind'], IconType> = {
  email: IconMail,
  alarm: IconAlertTriangle,
  'set-state': IconWriting,
}
const most = { alarm: 1, email: ruleMailLimits.mailsMax, 'set-state': actionsMax } as const
const kinds = ['alarm', 'email', 'set-state'] as const

interface ActionsEditorProps {
  /** absent: a rule that is not stored yet */
  ruleId?: number | undefined
  states: RuleStates
  actions: readonly ActionDraft[]
  aliases: readonly string[]
  faultAt: FaultText
  onChange: (actions: ActionDraft[]) => void
}

/** What happens when the rule fires: mails, an alarm, values that are set. */
export function ActionsEditor({ ruleId, states, actions, aliases, faultAt, onChange }: ActionsEditorProps) {
  const { t } = useTranslation()
  const replace = (changed: ActionDraft) =>
    onChange(actions.map((action) => (action.id === changed.id ? changed : action)))
  const first = aliases[0] ?? 'a'
  const add = (kind: ActionDraft['kind']) => {
    // Placeholders of the rule look like those of the texts: they are given in as they shall stand there.
    const names = {
      twin: '{{twin.title}}',
      rule: '{{rule.title}}',
      time: '{{time}}',
      value: `{{${first}}}`,
      interpolation: { skipOnVariables: true },
    }
    const texts = {
      subject: t('rules.defaults.subject', names),
      body: t('rules.defaults.body', names),
      alarm: t('rules.defaults.alarm', names),
    }
    onChange([...actions, newAction(kind, texts)])
  }
  return (
    <div className={classes.entries}>
      {actions.map((action) => (
        <fieldset key={action.id} className={classes.entry} aria-label={t(`rules.kinds.${action.kind}`)}>
          <Group justify="space-between">
            <Group gap={8}>
              <Icon of={icons[action.kind]} />
              <Text fw={550}>{t(`rules.kinds.${action.kind}`)}</Text>
            </Group>
            <ActionIcon
              size={28}
              aria-label={t('rules.removeAction', { kind: t(`rules.kinds.${action.kind}`) })}
              onClick={() => onChange(actions.filter((other) => other.id !== action.id))}
            >
              <Icon of={IconTrash} size={16} />
            </ActionIcon>
          </Group>
          <ActionFields
            ruleId={ruleId}
            action={action}
            states={states}
            aliases={aliases}
            faultAt={(field) =>
              faultAt(field === '' ? `action.${action.id}` : `action.${action.id}.${field}`)
            }
            onChange={replace}
          />
        </fieldset>
      ))}
      {actions.length < actionsMax ? (
        <Menu position="bottom-start" withinPortal>
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="subtle"
              style={{ justifySelf: 'start' }}
              leftSection={<Icon of={IconPlus} size={14} />}
            >
              {t('rules.addAction')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {kinds.map((kind) => (
              <Menu.Item
                key={kind}
                leftSection={<Icon of={icons[kind]} size={16} />}
                disabled={actions.filter((action) => action.kind === kind).length >= most[kind]}
                onClick={() => add(kind)}
              >
                {t(`rules.kinds.${kind}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </div>
  )
}

interface FieldsProps {
  ruleId: number | undefined
  action: ActionDraft
  states: RuleStates
  aliases: readonly string[]
  /** '' asks for the fault of the action as a whole */
  faultAt: (field: string) => string | null
  onChange: (action: ActionDraft) => void
}

function ActionFields({ ruleId, action, states, aliases, faultAt, onChange }: FieldsProps) {
  const { t } = useTranslation()
  const placeholders = [...aliases, 'twin.title', 'rule.title', 'time']
    .map((name) => `{{${name}}}`)
    .join('  ')
  const hint = (
    <Text size="xs" c="dimmed">
      {t('rules.placeholders')} <span className={classes.mono}>{placeholders}</span>
    </Text>
  )
  if (action.kind === 'email') {
    return (
      <>
        <TagsInput
          label={t('rules.recipients')}
          required
          placeholder={action.recipients.length === 0 ? t('rules.recipientsHint') : ''}
          value={action.recipients}
          maxTags={recipientsMax}
          splitChars={[',', ';', ' ']}
          onChange={(recipients) =>
            onChange({ ...action, recipients: recipients.map((address) => address.trim()).filter(Boolean) })
          }
          error={faultAt('recipients')}
          description={t('rules.recipientsOutside')}
        />
        {ruleId === undefined ? null : <RecipientStates ruleId={ruleId} addresses={action.recipients} />}
        <TextInput
          label={t('rules.subject')}
          required
          value={action.subject}
          maxLength={200}
          onChange={(event) => onChange({ ...action, subject: event.currentTarget.value })}
          error={faultAt('subject')}
        />
        <Textarea
          label={t('rules.body')}
          autosize
          minRows={3}
          maxRows={12}
          value={action.body}
          maxLength={4000}
          onChange={(event) => onChange({ ...action, body: event.currentTarget.value })}
          error={faultAt('body')}
        />
        {hint}
      </>
    )
  }
  if (action.kind === 'alarm') {
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
              onChange({ ...action, severity: (severity ?? 'warning') as 'warning' | 'error' })
            }
          />
        </div>
        <Text size="xs" c="dimmed">
          {t('rules.alarmHint')}
        </Text>
        {hint}
      </>
    )
  }
  return (
    <div className={classes.entryHead}>
      {states.pick({
        label: t('rules.targetState'),
        value: action.stateId,
        onChange: (stateId) => onChange({ ...action, stateId }),
        error: faultAt('stateId'),
      })}
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('rules.targetValue')}
        </Text>
        <OperandField
          label={t('rules.targetValue')}
          value={action.value}
          aliases={aliases}
          onChange={(value) => onChange({ ...action, value })}
          nullable={false}
        />
        {faultAt('value') ? (
          <Text size="xs" c="var(--health-error)" role="alert">
            {faultAt('value')}
          </Text>
        ) : null}
      </div>
    </div>
  )
}
