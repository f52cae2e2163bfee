import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { ActionTest } from './ActionTest.tsx'
import { fittingCategory } from './actions/alarm/fitting.ts'
import { chartedAliases } from './actions/email/charted.ts'
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
import { Entries } from './Entries.tsx'
import type { RuleStates } from './ruleStates.tsx'
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
  draft: Pick<RuleDraft, 'title' | 'metrics' | 'triggers'>
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
  const nameOf = (kind: ActionDraft['kind']) => t(`rules.kinds.${kind}`)
  const add = (kind: ActionDraft['kind']) => {
    const action = newAction(kind, defaultText(t, aliases[0] ?? 'a'))
    onChange([...actions, action])
    return action.id
  }
  return (
    <Entries
      entries={actions}
      titleOf={({ kind }) => ({
        icon: actionKinds[kind].icon,
        label: nameOf(kind),
        removeLabel: t('rules.removeAction', { kind: nameOf(kind) }),
      })}
      onRemove={({ id }) => onChange(actions.filter((action) => action.id !== id))}
      addLabel={t('rules.addAction')}
      kinds={(actions.length < actionsMax ? actionKindNames : []).map((kind) => ({
        name: kind,
        label: nameOf(kind),
        icon: actionKinds[kind].icon,
        disabled: actions.filter((action) => action.kind === kind).length >= actionKinds[kind].max,
        add: () => add(kind),
      }))}
    >
      {(action) => (
        <>
          <Suspense>
            <ActionForm
              ruleId={ruleId}
              accountId={accountId}
              objectId={objectId}
              action={action}
              states={states}
              aliases={aliases}
              charted={chartedAliases(draft.metrics)}
              fitting={fittingCategory(draft)}
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
        </>
      )}
    </Entries>
  )
}

function ActionForm({ action, onChange, ...props }: FormProps<ActionDraft>) {
  const { Form } = actionKind(action)
  return <Form {...props} action={action} onChange={(changed) => onChange({ ...changed, id: action.id })} />
}
