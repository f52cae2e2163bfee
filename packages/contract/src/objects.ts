import * as z from 'zod'
import { Id, operation, Paging, pageOf } from './common.ts'
import { type AccessRule, anyOf, may } from './permissions.ts'

/** Kinds of objects that use others, in display order. */
export const userKinds = [
  'digitalTwin',
  'virtualDevice',
  'state',
  'rule',
  'deviceTemplate',
  'dashboard',
  'alarmReport',
  'alarmMaintenance',
  'alarmNotification',
  'savedExport',
  'exportSchedule',
  'warnMonitor',
  'lock',
] as const
export type UserKind = (typeof userKinds)[number]

/** An object that uses the requested one. */
export const ObjectUser = z.object({
  kind: z.enum(userKinds),
  id: Id,
  /** for a state or rule, prefixed with the title of its twin or device */
  title: z.string(),
  /** how it uses the object, e.g. `reads`, `sets`, `driver`; without duplicates */
  notes: z.array(z.string()),
  /** the twin or device a state or rule belongs to */
  owner: z.object({ kind: z.enum(['digitalTwin', 'virtualDevice']), id: Id }).nullable(),
})
export type ObjectUser = z.infer<typeof ObjectUser>

/** Objects that use an object and are visible to the caller: by kind, then by title. */
export const ObjectUsers = pageOf(ObjectUser).extend({
  /** number of each kind; with `more` there are more than were counted */
  groups: z.array(z.object({ kind: z.enum(userKinds), count: z.int(), more: z.boolean() })),
  /** there are others that the caller may not see */
  hidden: z.boolean(),
})
export type ObjectUsers = z.infer<typeof ObjectUsers>

const manageAll = may('all', 'manage')
const twin = may('DigitalTwin', 'read')
const device = may('VirtualDevice', 'read', 'manage')
const state = anyOf(twin, may('VirtualDevice', 'read'), may('DigitalTwinStates', 'read'))
const driver = anyOf(may('DeviceDriver', 'read', 'manage'), may('VirtualDevice', 'read'))
const template = may('DeviceTemplate', 'read', 'manage')
const dashboard = may('Dashboards', 'read', 'manage')

/** Callers who may read an object may also list what uses it. */
function usersOf(path: `/${string}`, summary: string, rule: AccessRule) {
  return operation
    .meta({ rule })
    .route({ method: 'GET', path: `${path}/{id}/uses`, tags: ['uses'], summary })
    .input(z.object({ id: Id, userKind: z.enum(userKinds).optional(), ...Paging }))
    .output(ObjectUsers)
}

export const objects = {
  /** Users of a twin or of its states: its children, and states, rules and dashboards elsewhere. */
  usersOfTwin: usersOf('/digitaltwin', 'What uses a twin', twin),
  /** The same for a virtual device. */
  usersOfDevice: usersOf('/virtualdevice', 'What uses a virtual device', device),
  /** States computed from it, rules, dashboards, and the template that defines it. */
  usersOfState: usersOf('/digitaltwin/states', 'What uses a state', state),
  /** Virtual devices and device templates. */
  usersOfDriver: usersOf('/devicedrivers', 'What uses a driver', driver),
  /** Virtual devices, device templates, and states that listen to it. */
  usersOfConnector: usersOf('/bridge/configs', 'What uses a connector', manageAll),
  /** Virtual devices. */
  usersOfTemplate: usersOf('/digitaltwin/device-templates', 'What uses a device template', template),
  /** Alarm reports, maintenance windows, notifications, exports and flows. */
  usersOfGroup: usersOf('/virtualdevice/views', 'What uses a smart group', device),
  usersOfDashboard: usersOf('/dashboards', 'What uses a dashboard', dashboard),
}
