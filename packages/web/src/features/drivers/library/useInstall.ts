import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { invalidateDrivers } from '../queries.ts'

/** Installs a bundled driver by its key and shows a notice. */
export function useInstall() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ key }: { key: string; title: string }) => client.devicedrivers.install({ key }),
    onSuccess: async (_reply, { title }) => {
      notifySuccess(t('drivers.library.installedNote', { title }))
      await invalidateDrivers(cache)
    },
    onError: (error) => notifyError(error),
  })
}
