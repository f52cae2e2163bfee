import { modules } from '@leitstand/contract/modules'
import { type Action, actions, type RoleRule, type Subject } from '@leitstand/contract/permissions'
import { deliveredRoles, type RoleKey } from '@leitstand/contract/roles'
import type { NewRole } from './store.ts'

const rule = (subject: Subject, ...allowed: Action[]): RoleRule => ({ subject, actions: allowed })
const everything = [...actions]
const look: Action[] = ['read', 'list']
const delivered = (key: RoleKey) => ({ accountId: null, name: deliveredRoles[key], key })

/**
 * Roles every installation starts with; they belong to no account and are offered to all.
 * Names describe what users do, not their job titles.
 */
export const firstRoles: readonly (NewRole & { isSuper?: boolean })[] = [
  {
    ...delivered('systemAdministrator'),
    description: 'Everything, including the installation itself',
    icon: 'shield',
    rules: [rule('all', 'manage'), rule('super.system', 'manage')],
    isSuper: true,
  },
  {
    ...delivered('accountAdministrator'),
    description: 'Everything in the account and below it, users included',
    icon: 'building',
    rules: [rule('all', 'manage')],
  },
  {
    ...delivered('deviceManager'),
    // Connectors hold passwords of other systems, so only administrators edit them (specification 3, section
    // 6).
    description: 'Drivers, devices and twins, with the connectors there are',
    icon: 'cpu',
    rules: [
      rule('VirtualDevice', ...everything),
      rule('DeviceDriver', ...everything),
      rule('DeviceTemplate', ...everything),
      rule('IotHub', ...everything),
      rule('DigitalTwin', ...everything),
      rule('DigitalTwinStates', ...everything),
      rule('Dashboards', ...look),
      rule('InfluxDB', 'read'),
    ],
  },
  {
    ...delivered('operator'),
    description: 'Works with devices, twins and dashboards without setting up connections',
    icon: 'activity',
    rules: [
      rule('VirtualDevice', ...look, 'write'),
      rule('DeviceDriver', ...look),
      rule('DeviceTemplate', ...look),
      rule('DigitalTwin', ...look, 'write', 'create'),
      rule('DigitalTwinStates', ...look, 'write'),
      rule('Dashboards', ...everything),
      rule('InfluxDB', 'read'),
    ],
  },
  {
    ...delivered('viewer'),
    description: 'Sees devices, twins and dashboards',
    icon: 'eye',
    rules: [
      rule('VirtualDevice', ...look),
      rule('DeviceDriver', ...look),
      rule('DeviceTemplate', ...look),
      rule('DigitalTwin', ...look),
      rule('DigitalTwinStates', ...look),
      rule('Dashboards', ...look),
      rule('InfluxDB', 'read'),
    ],
  },
  {
    ...delivered('facilityManager'),
    // Reads devices: the lock of a door is a device at that door (`features/keys/locks.ts`).
    description: 'Tickets, keys, assets and monitors of the buildings',
    icon: 'campus',
    rules: [
      rule('IsFmAccess', 'manage'),
      rule('IsFmTicket', 'manage'),
      rule('IsAssetMgmt', 'manage'),
      rule('IsWarnapp', 'manage'),
      rule('VirtualDevice', ...look),
      rule('DigitalTwin', ...look),
      rule('DigitalTwinStates', ...look),
      rule('Dashboards', ...look),
      rule('InfluxDB', 'read'),
    ],
  },
  {
    ...delivered('ticketReporter'),
    description: 'Reports what is broken',
    icon: 'bell',
    rules: [rule('IsFmTicket', 'create')],
  },
  {
    ...delivered('keyHolder'),
    description: 'Opens doors with virtual keys',
    icon: 'key',
    rules: [rule('IsFmAccess', 'write')],
  },
  {
    ...delivered('warningViewer'),
    description: 'Shows monitors on a wall',
    icon: 'bell',
    rules: modules.warnapp.newUsers,
    module: 'warnapp',
  },
  {
    ...delivered('assetViewer'),
    description: 'Looks where assets are',
    icon: 'eye',
    rules: modules.assets.newUsers,
    module: 'assets',
  },
  {
    ...delivered('influxDbRead'),
    description: 'Reads time series through queries',
    icon: 'chart-line',
    rules: [rule('InfluxDB', 'read')],
  },
]
