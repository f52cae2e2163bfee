import type { ListParams } from '../../ui/list/types.ts'

/** Things that activity is written about; the name is a key of the texts. */
export const activitySubjects = [
  'VirtualDevice',
  'DigitalTwin',
  'State',
  'DeviceDriver',
  'Connector',
  'Rule',
  'Dashboard',
  'Tenant',
  'User',
  'ApiKey',
  'Retention',
] as const

/** How far back the filter "since" looks, in hours. */
export const sinceHours = [1, 24, 168, 720] as const

/** Input of the activity log from the state of the list. */
export function activityInput(params: ListParams, nowMs: number) {
  const hours = sinceHours.find((each) => String(each) === params.filters.since?.[0])
  // To the minute, so that the same filter asks the same question again for a while.
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000
  return {
    offset: params.offset,
    limit: params.limit,
    search: params.search,
    accountIds: params.accountIds,
    subject: params.filters.subject?.[0],
    from: hours === undefined ? undefined : new Date(minuteMs - hours * 3_600_000).toISOString(),
  }
}

/** Where the thing of an entry is shown; null for what has no screen of its own, or is gone. */
export function activityPath(entry: {
  subject: string
  action: string
  objectId: number | null
  accountId: number | null
}): string | null {
  if (entry.objectId === null || entry.action === 'delete') return null
  const paths: Record<string, string> = {
    VirtualDevice: '/virtual-devices',
    DigitalTwin: '/digitaltwin-mgmt',
    DeviceDriver: '/virtual-device-drivers',
    Dashboard: '/dashboards',
  }
  if (entry.subject === 'Connector')
    return entry.accountId === null ? null : `/connectors/edit/${entry.accountId}/${entry.objectId}`
  const path = paths[entry.subject]
  return path === undefined ? null : `${path}/${entry.objectId}`
}
