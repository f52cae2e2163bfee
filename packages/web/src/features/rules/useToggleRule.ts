import type { Rule } from '@leitstand/contract/rules'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifyError } from '../../ui/feedback/notify.ts'
import { toDraft, toRuleInput } from './draft.ts'

/** Switches a rule on or off; the request contains the rule as it was read. */
export function useToggleRule() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (rule: Rule) =>
      client.ddr.update({
        ...toRuleInput(toDraft(rule)),
        id: rule.id,
        version: rule.version,
        conditions: rule.conditions,
        active: !rule.active,
      }),
    onError: (error) => notifyError(error, t('rules.toggleFailed')),
    onSettled: () => cache.invalidateQueries({ queryKey: api.ddr.key() }),
  })
}
