import type { ExportSchedule } from '@leitstand/contract/exportSchedules'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { reread } from '../../lib/reread.ts'
import { notifyError, notifySuccess, notifyWarning } from '../../ui/feedback/notify.ts'

/** Says why a target does not take files. */
export function notifyFailure(error: unknown): void {
  const { code, details } = describeError(error)
  if (code !== 'EXPORT_SCHEDULE_TARGET_FAILED') {
    notifyError(error)
    return
  }
  const reason = i18next.t(`exportSchedules.deliveryReasons.${details.reason}`)
  notifyWarning(typeof details.detail === 'string' ? `${reason}: ${details.detail}` : reason)
}

/** Reads lists, schedules and their histories again. */
export function useReread(): () => Promise<void> {
  const cache = useQueryClient()
  return () => reread(cache, api.exportSchedules.key())
}

/** Switches a schedule on or off, or renames it. */
export function useChange() {
  const readAgain = useReread()
  return useMutation({
    mutationFn: ({ id, version, title, active }: ExportSchedule) =>
      client.exportSchedules.update({ id, version, title, active }),
    onError: (error) => notifyError(error),
    onSettled: readAgain,
  })
}

/** Runs a schedule now. @param then called once it has begun */
export function useRun(then: (schedule: ExportSchedule) => void) {
  const { t } = useTranslation()
  const readAgain = useReread()
  return useMutation({
    mutationFn: ({ id }: ExportSchedule) => client.exportSchedules.run({ id }),
    onSuccess: (_, schedule) => {
      notifySuccess(t('exportSchedules.begun', { title: schedule.title }))
      then(schedule)
    },
    onError: (error) => notifyError(error),
    onSettled: readAgain,
  })
}
