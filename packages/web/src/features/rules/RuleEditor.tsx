import type { Rule } from '@leitstand/contract/rules'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { newRule, type RuleDraft, toDraft, toRuleInput } from './draft.ts'
import RuleSheet from './RuleSheet.tsx'
import { useObjectStates } from './ruleStates.tsx'

interface RuleEditorProps {
  objectId: number
  accountId: number
  /** absent: a new rule */
  rule?: Rule
  /** what it begins with; absent: the rule as it is, or one metric and an alarm */
  from?: RuleDraft
  /** the state a new rule begins with; absent: the object's only one */
  stateId?: number
  onClose: () => void
}

/** Sheet that creates or changes a rule of a twin or device. */
export default function RuleEditor(props: RuleEditorProps) {
  const { t } = useTranslation()
  const { rule, from, objectId, stateId = 0 } = props
  const chosen = useQuery({
    ...api.state.get.queryOptions({ input: { id: stateId } }),
    enabled: rule === undefined && from === undefined && stateId > 0,
  })
  const own = useQuery({
    ...api.state.search.queryOptions({ input: { dtwinId: objectId, limit: 2 } }),
    enabled: rule === undefined && from === undefined && stateId === 0,
  })
  if (from) return <Sheet {...props} start={() => from} />
  if (rule) return <Sheet {...props} start={() => toDraft(rule)} />
  if (chosen.isLoading || own.isLoading) return null
  const first = chosen.data?.twinId === objectId ? [chosen.data] : own.data?.items
  return <Sheet {...props} start={() => newRule(t, first ?? [])} />
}

function Sheet({ objectId, accountId, onClose, ...props }: RuleEditorProps & { start: () => RuleDraft }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const states = useObjectStates(objectId)
  const [start] = useState(props.start)
  // The list reads it again: saved with a newer version, the draft would undo what others have changed.
  const [rule] = useState(props.rule)
  return (
    <RuleSheet
      title={rule ? t('rules.editTitle', { title: rule.title }) : t('rules.createTitle')}
      start={start}
      {...(rule ? { ruleId: rule.id } : {})}
      accountId={accountId}
      objectId={objectId}
      states={states}
      canTest
      saveLabel={t(rule ? 'common.save' : 'rules.create')}
      store={async (draft) => {
        const input = toRuleInput(draft)
        if (rule) await client.ddr.update({ id: rule.id, version: rule.version, ...input })
        else await client.ddr.create({ dtwinId: objectId, ...input })
        notifySuccess(t(rule ? 'rules.saved' : 'rules.created', { title: input.title }))
        await cache.invalidateQueries({ queryKey: api.ddr.key() })
      }}
      onClose={onClose}
    />
  )
}
