import type { UserKind } from '@leitstand/contract/objects'
import { client } from '../../lib/api.ts'
import { keepsIt, type Used } from './users.ts'

/** The operation for each kind of object. */
export const askUsers = {
  twin: client.objects.usersOfTwin,
  device: client.objects.usersOfDevice,
  state: client.objects.usersOfState,
  driver: client.objects.usersOfDriver,
  connector: client.objects.usersOfConnector,
  template: client.objects.usersOfTemplate,
  group: client.objects.usersOfGroup,
  dashboard: client.objects.usersOfDashboard,
} satisfies Record<Used, unknown>

const kindNames = {
  digitalTwin: 'twin',
  virtualDevice: 'virtualDevice',
  state: 'aggregate',
  rule: 'rule',
  deviceTemplate: 'deviceTemplate',
  dashboard: 'dashboard',
  alarmReport: 'alarmReport',
  alarmMaintenance: 'alarmMaintenance',
  alarmNotification: 'alarmNotification',
  savedExport: 'savedExport',
  exportSchedule: 'exportSchedule',
  warnMonitor: 'warnMonitor',
  lock: 'lock',
} as const satisfies Record<UserKind, string>

/** An object's first users, in the form the delete dialogs need. */
export async function dependenciesOf(of: Used, id: number) {
  const { items, total, hidden } = await askUsers[of]({ id, limit: 20 })
  return {
    blocking: items.some((each) => keepsIt(of, each)),
    more: hidden || total > items.length,
    items: items.map((each) => ({ ...each, kind: kindNames[each.kind], blocking: keepsIt(of, each) })),
  }
}
