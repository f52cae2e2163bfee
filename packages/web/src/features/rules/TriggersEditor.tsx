import { Button, Group, Menu, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { nextId } from './draft.ts'
import classes from './rules.module.css'
import {
  fromTriggerDraft,
  type TriggerDraft,
  toTriggerDraft,
  triggerKind,
  triggerKindNames,
  triggerKinds,
} from './triggers/index.ts'
import type { FaultText } from './useRuleForm.ts'

/** Maximum number of triggers, as in the contract. */
const triggersMax = 10

interface TriggersEditorProps {
  triggers: readonly TriggerDraft[]
  aliases: readonly string[]
  /** the rule may refer to others: it is not one of a template */
  canWatchRules: boolean
  faultAt: FaultText
  onChange: (triggers: TriggerDraft[]) => void
}

/** When a rule is checked: new values, times, silence, alarms and more. */
export function TriggersEditor({ triggers, aliases, canWatchRules, faultAt, onChange }: TriggersEditorProps) {
  const { t } = useTranslation()
  const replace = (changed: TriggerDraft) =>
    onChange(triggers.map((trigger) => (trigger.id === changed.id ? changed : trigger)))
  const kinds = triggerKindNames.filter((kind) => canWatchRules || !triggerKinds[kind].isOutside)
  return (
    <div className={classes.entries}>
      {triggers.map((trigger) => {
        const { icon, Form } = triggerKind(trigger)
        const name = t(`rules.triggers.kinds.${trigger.kind}`)
        return (
          <fieldset key={trigger.id} className={classes.entry} aria-label={name}>
            <Group justify="space-between" wrap="nowrap">
              <Group gap={8} wrap="nowrap">
                <Icon of={icon} />
                <Text fw={550}>{name}</Text>
              </Group>
              <RemoveButton
                size={28}
                label={t('rules.triggers.remove', { kind: name })}
                onClick={() => onChange(triggers.filter(({ id }) => id !== trigger.id))}
              />
            </Group>
            {Form ? (
              <Suspense>
                <Form
                  trigger={fromTriggerDraft(trigger)}
                  aliases={aliases}
                  faultAt={(field) => faultAt(`trigger.${trigger.id}.${field}`)}
                  onChange={(changed) => replace(toTriggerDraft(trigger.id, changed))}
                />
              </Suspense>
            ) : null}
          </fieldset>
        )
      })}
      {triggers.length < triggersMax ? (
        <Menu position="bottom-start" withinPortal>
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="subtle"
              style={{ justifySelf: 'start' }}
              leftSection={<Icon of={IconPlus} size={14} />}
            >
              {t('rules.triggers.add')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {kinds.map((kind) => (
              <Menu.Item
                key={kind}
                leftSection={<Icon of={triggerKinds[kind].icon} size={16} />}
                disabled={
                  triggerKinds[kind].isSingle === true && triggers.some((trigger) => trigger.kind === kind)
                }
                onClick={() =>
                  onChange([...triggers, toTriggerDraft(nextId(), triggerKinds[kind].create(aliases))])
                }
              >
                {t(`rules.triggers.kinds.${kind}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </div>
  )
}
