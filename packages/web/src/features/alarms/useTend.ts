import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'

/** Acknowledges alarms, as few as one call takes. */
export function useAcknowledge() {
  const { t } = useTranslation()
  return useTending(
    async (ids: number[]) => (await client.alarmLogs.acknowledge({ ids })).acknowledged,
    (count) => t('alarms.acknowledgedNow', { count }),
  )
}

/**
 * Changes alarms, says what has changed and reads lists of alarms again.
 * @param work resolves with how many changed
 */
export function useTending<Input>(
  work: (input: Input) => Promise<number>,
  said: (count: number, input: Input) => string,
) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: work,
    onSuccess: (count, input) => notifySuccess(said(count, input)),
    onError: (error) => notifyError(error),
    onSettled: () => reread(cache, api.alarmLogs.key()),
  })
}
