import { alarmLimits } from '@leitstand/contract/alarms'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { useTending } from './useTend.ts'

/** Does something with alarms, as many at a time as the server takes. @returns how many changed */
async function inParts(ids: readonly number[], call: (part: number[]) => Promise<number>): Promise<number> {
  const { batchMax } = alarmLimits
  let count = 0
  for (let first = 0; first < ids.length; first += batchMax)
    count += await call(ids.slice(first, first + batchMax))
  return count
}

/** Acknowledges any number of alarms. */
export function useAcknowledgeAll() {
  const { t } = useTranslation()
  return useTending(
    (ids: readonly number[]) =>
      inParts(ids, async (part) => (await client.alarmLogs.acknowledge({ ids: part })).acknowledged),
    (count) => t('alarms.acknowledgedNow', { count }),
  )
}

/** Makes alarms somebody's task, or nobody's. */
export function useAssign() {
  const { t } = useTranslation()
  return useTending(
    ({ ids, userId }: { ids: readonly number[]; userId: number | null }) =>
      inParts(ids, async (part) => (await client.alarmLogs.assign({ ids: part, userId })).assigned),
    (count) => t('alarms.assignedNow', { count }),
  )
}

/** Sets alarms aside, or lets them count again. */
export function useSnooze() {
  const { t } = useTranslation()
  return useTending(
    ({ ids, until }: { ids: readonly number[]; until: Date | null }) =>
      inParts(
        ids,
        async (part) =>
          (await client.alarmLogs.snooze({ ids: part, until: until?.toISOString() ?? null })).snoozed,
      ),
    (count, { until }) => t(until === null ? 'alarms.wokenNow' : 'alarms.snoozedNow', { count }),
  )
}
