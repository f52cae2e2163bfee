import type { ObjectUser, ObjectUsers, UserKind } from '@leitstand/contract/objects'

/** Objects whose users can be listed. */
export type Used = 'twin' | 'device' | 'state' | 'driver' | 'connector' | 'template' | 'group' | 'dashboard'

const paths: Record<UserKind, string> = {
  digitalTwin: '/digitaltwin-mgmt',
  virtualDevice: '/virtual-devices',
  state: '',
  rule: '',
  deviceTemplate: '/device-templates',
  dashboard: '/dashboards',
  alarmReport: '/alarm-log-reports',
  alarmMaintenance: '/alarm-logs?maintenance=1',
  alarmNotification: '/user-profile',
  savedExport: '/background-jobs',
  exportSchedule: '/scheduled-exports',
  warnMonitor: '/is-warnapp-admin',
  lock: '/fm-access-mgmt',
}

/** The page of a user: its own, or a tab of its twin or device. */
export function userPath({ kind, id, owner }: Pick<ObjectUser, 'kind' | 'id' | 'owner'>): string {
  if (kind === 'alarmReport') return `${paths[kind]}?edit=${id}`
  // These have no page of their own.
  if (kind === 'alarmMaintenance' || kind === 'alarmNotification') return paths[kind]
  if (kind === 'savedExport') return `${paths[kind]}?saved=${id}`
  if (kind === 'exportSchedule') return `${paths[kind]}?history=${id}`
  if (kind === 'warnMonitor') return `${paths[kind]}?monitor=${id}`
  if (kind === 'lock') return `${paths[kind]}?tab=locks&lock=${id}`
  if (owner === null) return `${paths[kind]}/${id}`
  return `${paths[owner.kind]}/${owner.id}?tab=${kind === 'rule' ? 'rules' : 'states'}`
}

/** Whether a user prevents deletion: computed states, objects below it, and whatever uses a smart group. */
export function keepsIt(of: Used, { kind, notes }: Pick<ObjectUser, 'kind' | 'notes'>): boolean {
  if (of === 'group') return true
  if (kind === 'deviceTemplate') return of === 'driver'
  return kind === 'state' || kind === 'virtualDevice' || notes.includes('child')
}

/** The users of a page by kind, with each kind's total. */
export function groupsOf({ groups, items }: Pick<ObjectUsers, 'groups' | 'items'>) {
  return groups.map((group) => ({ ...group, first: items.filter(({ kind }) => kind === group.kind) }))
}
