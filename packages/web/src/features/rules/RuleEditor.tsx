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
  onClose: () => void
}

/** Sheet that creates or changes a rule of a twin or device. A new one begins with the object's only state. */
export default function RuleEditor(props: RuleEditorProps) {
  const { t } = useTranslation()
  const { rule, objectId } = props
  const own = useQuery({
    ...api.state.search.queryOptions({ input: { dtwinId: objectId, limit: 2 } }),
    enabled: rule === undefined,
  })
  if (rule) return <Sheet {...props} start={() => toDraft(rule)} />
  if (own.isPending) return null
  return <Sheet {...props} start={() => newRule(t, own.data?.items ?? [])} />
}

function Sheet({
  objectId,
  accountId,
  rule,
  onClose,
  ...props
}: RuleEditorProps & { start: () => RuleDraft }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const states = useObjectStates(objectId)
  const [start] = useState(props.start)
  return (
    <RuleSheet
      title={rule ? t('rules.editTitle', { title: rule.title }) : t('rules.createTitle')}
      start={start}
      {...(rule ? { ruleId: rule.id } : {})}
      accountId={accountId}
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
