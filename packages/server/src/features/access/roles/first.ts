import { type Action, actions, type RoleRule, type Subject } from '@leitstand/contract/permissions'
import type { NewRole } from '../store/access.ts'

const rule = (subject: Subject, ...allowed: Action[]): RoleRule => ({ subject, actions: allowed })
const everything = [...actions]
const look: Action[] = ['read', 'list']

/**
 * Roles every installation begins with; they belong to no account and are offered to all.
 * The names follow what people do, not how they are called somewhere.
 */
export const firstRoles: readonly (NewRole & { isSuper?: boolean })[] = [
  {
    accountId: null,
    name: 'System administrator',
    description: 'Everything, including the installation itself',
    icon: 'shield',
    rules: [rule('all', 'manage'), rule('super.system', 'manage')],
    isSuper: true,
  },
  {
    accountId: null,
    name: 'Account administrator',
    description: 'Everything in the account and below it, users included',
    icon: 'building',
    rules: [rule('all', 'manage')],
  },
  {
    accountId: null,
    name: 'Device manager',
    description: 'Connectors, drivers, devices and twins',
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
    accountId: null,
    name: 'Operator',
    description: 'Works with devices, twins and dashboards without setting up connections',
    icon: 'activity',
    rules: [
      rule('VirtualDevice', ...look, 'write'),
      rule('DeviceDriver', ...look),
      rule('DigitalTwin', ...look, 'write', 'create'),
      rule('DigitalTwinStates', ...look, 'write'),
      rule('Dashboards', ...everything),
      rule('InfluxDB', 'read'),
    ],
  },
  {
    accountId: null,
    name: 'Viewer',
    description: 'Sees devices, twins and dashboards',
    icon: 'eye',
    rules: [
      rule('VirtualDevice', ...look),
      rule('DeviceDriver', ...look),
      rule('DigitalTwin', ...look),
      rule('DigitalTwinStates', ...look),
      rule('Dashboards', ...look),
      rule('InfluxDB', 'read'),
    ],
  },
  {
    accountId: null,
    name: 'Facility manager',
    description: 'Tickets and door keys of the buildings',
    icon: 'campus',
    rules: [
      rule('IsFmAccess', 'manage'),
      rule('IsFmTicket', 'manage'),
      rule('DigitalTwin', ...look),
      rule('DigitalTwinStates', ...look),
      rule('Dashboards', ...look),
      rule('InfluxDB', 'read'),
    ],
  },
  {
    accountId: null,
    name: 'Ticket reporter',
    description: 'Reports what is broken',
    icon: 'bell',
    rules: [rule('IsFmTicket', 'create')],
  },
  {
    accountId: null,
    name: 'Key holder',
    description: 'Opens doors with virtual keys',
    icon: 'key',
    rules: [rule('IsFmAccess', 'write')],
  },
  {
    accountId: null,
    name: 'InfluxDBRead',
    description: 'Reads time series through queries',
    icon: 'chart-line',
    rules: [rule('InfluxDB', 'read')],
  },
]
