import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { nextId } from './draft.ts'
import { Entries } from './Entries.tsx'
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
  isForMany: boolean
  faultAt: FaultText
  onChange: (triggers: TriggerDraft[]) => void
}

/** When a rule is checked: new values, times, silence, alarms and more. */
export function TriggersEditor(props: TriggersEditorProps) {
  const { triggers, aliases, canWatchRules, isForMany, faultAt, onChange } = props
  const { t } = useTranslation()
  const nameOf = (kind: TriggerDraft['kind']) => t(`rules.triggers.kinds.${kind}`)
  const replace = (changed: TriggerDraft) =>
    onChange(triggers.map((trigger) => (trigger.id === changed.id ? changed : trigger)))
  const add = (kind: TriggerDraft['kind']) => {
    const trigger = toTriggerDraft(nextId(), triggerKinds[kind].create(aliases))
    onChange([...triggers, trigger])
    return trigger.id
  }
  const offered = triggerKindNames.filter((kind) => canWatchRules || !triggerKinds[kind].isOutside)
  return (
    <Entries
      entries={triggers}
      titleOf={({ kind }) => ({
        icon: triggerKinds[kind].icon,
        label: nameOf(kind),
        removeLabel: t('rules.triggers.remove', { kind: nameOf(kind) }),
      })}
      onRemove={({ id }) => onChange(triggers.filter((trigger) => trigger.id !== id))}
      addLabel={t('rules.triggers.add')}
      kinds={(triggers.length < triggersMax ? offered : []).map((kind) => ({
        name: kind,
        label: nameOf(kind),
        icon: triggerKinds[kind].icon,
        disabled: triggerKinds[kind].isSingle === true && triggers.some((trigger) => trigger.kind === kind),
        add: () => add(kind),
      }))}
    >
      {(trigger) => {
        const { Form } = triggerKind(trigger)
        if (Form === undefined) return null
        return (
          <Suspense>
            <Form
              trigger={fromTriggerDraft(trigger)}
              aliases={aliases}
              isForMany={isForMany}
              faultAt={(field) => faultAt(`trigger.${trigger.id}.${field}`)}
              onChange={(changed) => replace(toTriggerDraft(trigger.id, changed))}
            />
          </Suspense>
        )
      }}
    </Entries>
  )
}
