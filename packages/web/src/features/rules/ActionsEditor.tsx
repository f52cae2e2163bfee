import { Button, Group, Menu, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { ActionTest } from './ActionTest.tsx'
import {
  type ActionDraft,
  actionFaults,
  actionKind,
  actionKindNames,
  actionKinds,
  fromActionDraft,
} from './actions/index.ts'
import { defaultText } from './actions/texts.ts'
import type { FormProps } from './actions/types.ts'
import { newAction, type RuleDraft } from './draft.ts'
import type { RuleStates } from './ruleStates.tsx'
import classes from './rules.module.css'
import type { FaultText } from './useRuleForm.ts'

/** Maximum number of actions, as in the contract. */
const actionsMax = 20

interface ActionsEditorProps {
  /** absent: a new rule */
  ruleId?: number | undefined
  accountId: number
  objectId?: number | undefined
  states: RuleStates
  actions: readonly ActionDraft[]
  aliases: readonly string[]
  /** what a test of an action needs of the rule */
  draft: Pick<RuleDraft, 'title' | 'metrics'>
  faultAt: FaultText
  onChange: (actions: ActionDraft[]) => void
}

/** Actions of a rule: mails, alarms, setting values. */
export function ActionsEditor({
  ruleId,
  accountId,
  objectId,
  states,
  actions,
  aliases,
  draft,
  faultAt,
  onChange,
}: ActionsEditorProps) {
  const { t } = useTranslation()
  const replace = (changed: ActionDraft) =>
    onChange(actions.map((action) => (action.id === changed.id ? changed : action)))
  const first = aliases[0] ?? 'a'
  const add = (kind: ActionDraft['kind']) => onChange([...actions, newAction(kind, defaultText(t, first))])
  return (
    <div className={classes.entries}>
      {actions.map((action) => (
        <fieldset key={action.id} className={classes.entry} aria-label={t(`rules.kinds.${action.kind}`)}>
          <Group justify="space-between">
            <Group gap={8}>
              <Icon of={actionKinds[action.kind].icon} />
              <Text fw={550}>{t(`rules.kinds.${action.kind}`)}</Text>
            </Group>
            <RemoveButton
              size={28}
              label={t('rules.removeAction', { kind: t(`rules.kinds.${action.kind}`) })}
              onClick={() => onChange(actions.filter((other) => other.id !== action.id))}
            />
          </Group>
          <Suspense>
            <ActionForm
              ruleId={ruleId}
              accountId={accountId}
              objectId={objectId}
              action={action}
              states={states}
              aliases={aliases}
              faultAt={(field) =>
                faultAt(field === '' ? `action.${action.id}` : `action.${action.id}.${field}`)
              }
              onChange={replace}
            />
          </Suspense>
          {objectId !== undefined && actionKinds[action.kind].isTestable ? (
            <ActionTest
              objectId={objectId}
              draft={draft}
              action={
                actionFaults(action, { metrics: draft.metrics, earlier: [] }).length === 0
                  ? fromActionDraft(action)
                  : null
              }
            />
          ) : null}
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
            {actionKindNames.map((kind) => (
              <Menu.Item
                key={kind}
                leftSection={<Icon of={actionKinds[kind].icon} size={16} />}
                disabled={actions.filter((action) => action.kind === kind).length >= actionKinds[kind].max}
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

function ActionForm({ action, onChange, ...props }: FormProps<ActionDraft>) {
  const { Form } = actionKind(action)
  return <Form {...props} action={action} onChange={(changed) => onChange({ ...changed, id: action.id })} />
}
