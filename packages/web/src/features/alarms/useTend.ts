import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'

/** Alarms in one call; the contract is not loaded for its own limit, because the home page uses this. */
const atOnce = 200

/** Acknowledges alarms, as many at a time as the server takes. */
export function useAcknowledge() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async (ids: readonly number[]) => {
      let count = 0
      for (let first = 0; first < ids.length; first += atOnce) {
        const part = ids.slice(first, first + atOnce)
        count += (await client.alarmLogs.acknowledge({ ids: part })).acknowledged
      }
      return count
    },
    onSuccess: (count) => notifySuccess(t('alarms.acknowledgedNow', { count })),
    onError: (error) => notifyError(error),
    onSettled: () => reread(cache, api.alarmLogs.key()),
  })
}
