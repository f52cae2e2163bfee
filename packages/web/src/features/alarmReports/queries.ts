import type { AlarmReport, AlarmReportInput } from '@leitstand/contract/alarmReports'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'

/** Reads lists and reports again. */
export function useReread(): () => Promise<void> {
  const cache = useQueryClient()
  return () => reread(cache, api.alarmReports.key())
}

/** Sends a report to the user, as it would look now. */
export function useReportTest() {
  const { t } = useTranslation()
  return useMutation({
    mutationFn: (input: AlarmReportInput) => client.alarmReports.test(input),
    onSuccess: ({ sentTo }) => notifySuccess(t('alarmReports.tested', { address: sentTo })),
    onError: (error) => notifyError(error),
  })
}

/** The input of a stored report; null: its group is gone. */
export function storedInput(report: AlarmReport): AlarmReportInput | null {
  const { groupId } = report
  return groupId === null ? null : { ...report, groupId }
}
