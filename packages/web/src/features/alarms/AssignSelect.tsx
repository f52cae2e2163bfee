import type { Alarm } from '@leitstand/contract/alarms'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { useAssign } from './useTasks.ts'

/** Whose task an alarm is. */
export function AssignSelect({ alarm }: { alarm: Pick<Alarm, 'id' | 'assigned'> }) {
  const { t } = useTranslation()
  const assign = useAssign()
  const { assigned } = alarm
  return (
    <EntityPicker
      label={t('alarms.assigned')}
      placeholder={t('alarms.nobody')}
      disabled={assign.isPending}
      value={assigned?.userId ? String(assigned.userId) : null}
      load={(search) => loadAssignees(alarm.id, search)}
      labelOf={async () => assigned?.name ?? ''}
      onChange={(value) => assign.mutate({ ids: [alarm.id], userId: value === null ? null : Number(value) })}
    />
  )
}

/** People who can take care of an alarm. */
export async function loadAssignees(id: number, search: string) {
  const { items } = await client.alarmLogs.assignees({ id, limit: 20, ...(search ? { search } : {}) })
  return items.map((user) => ({ value: String(user.id), label: user.name }))
}
