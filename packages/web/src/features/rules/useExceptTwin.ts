import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifyError } from '../../ui/feedback/notify.ts'

/** Leaves a twin out of a rule for many, or takes it in again. */
export function useExceptTwin() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (change: { id: number; dtwinId: number; except: boolean }) => client.ddr.exceptTwin(change),
    onError: (error) => notifyError(error, t('rules.toggleFailed')),
    onSettled: () => cache.invalidateQueries({ queryKey: api.ddr.key() }),
  })
}
