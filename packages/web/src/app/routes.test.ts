import type { AccessRule } from '@leitstand/contract/permissions'
import { expect, test } from 'vitest'
import { classic, hasFooter, redirects, screens } from './routes.ts'

/**
 * Permissions per screen, from the specification's tables (1 section 2 and 6, 2 section 2, 3 section 6). `$`
 * stands for any parameter, `public` for no login and `session` for no rule.
 */
const specified: Readonly<Record<string, readonly string[]>> = {
  public: [
    ...['/login', '/error', '/reset-password', '/change-password', '/oauth', '/rule-mail'],
    ...['/public/$/tiles/$', '/public/$/map/$'],
  ],
  session: ['/home', '/user-profile', '/help', '/api', '/scheduled-exports'],
  'UserManagement create or UserManagement read': ['/account-mgmt', '/account-mgmt/$'],
  'UserManagement create': ['/account-mgmt/user/$', '/account-mgmt/user-bulk-create/$'],
  'UserManagement manage': ['/account-mgmt/user/$/$'],
  'all manage': [
    ...['/account-mgmt-roles', '/system-logs', '/system-settings'],
    ...['/account-mgmt-announcements', '/account-mgmt-modules'],
    ...['/connectors/list', '/connectors/create', '/connectors/edit/$/$'],
    ...['/connectors/consumers/list', '/connectors/consumers/filters', '/connectors/consumers/transformers'],
    ...['/connectors/consumers/transformers/create', '/connectors/consumers/transformers/$'],
    `${classic}/service-builders`,
  ],
  'super.system manage': ['/account-mgmt-flags', '/drawer-links', '/superadmin-terminal'],
  'IsFmAccess write or IsFmAccess manage': ['/fm-access'],
  'IsFmAccess manage': ['/fm-access-mgmt'],
  'IsFmTicket read or IsFmTicket manage': ['/fm-ticketing-mgmt'],
  'IsFmTicket create or IsFmTicket manage': ['/fm-add-ticket', '/fm-ticket-success'],
  '(DigitalTwinStates read and DigitalTwin list) or DigitalTwin read': ['/digitaltwin-state-overview'],
  'DigitalTwin read': [
    ...['/digitaltwin-mgmt', '/digitaltwin-mgmt/list', '/digitaltwin-mgmt/$'],
    ...['/digitaltwin-mgmt/map/twin/$', '/digitaltwin/rules-monitor'],
  ],
  'DigitalTwin read or VirtualDevice read or VirtualDevice manage': ['/trace'],
  'Dashboards read': ['/dashboards', '/dashboards/$'],
  'IsAssetMgmt read': [
    ...['/is-assetmgmt/assets', '/is-assetmgmt/assets/$', '/is-assetmgmt/zones', '/is-assetmgmt/map'],
  ],
  'IsWarnapp read or IsWarnapp manage': ['/is-warnapp-viewer'],
  'IsWarnapp manage': ['/is-warnapp-admin'],
  'VirtualDevice read or VirtualDevice manage': [
    ...['/virtual-devices', '/virtual-devices/$', '/virtual-devices/map'],
    ...['/virtual-device-groups', '/virtual-device-groups/$', '/virtual-device-groups/map'],
  ],
  'VirtualDevice read': ['/alarm-logs'],
  'VirtualDevice manage': ['/alarm-log-reports'],
  'DeviceDriver read or DeviceDriver manage': ['/virtual-device-drivers', '/virtual-device-drivers/$'],
  'DeviceTemplate read or DeviceTemplate manage': ['/device-templates', '/device-templates/$'],
  'DigitalTwin read or IotHub read or VirtualDevice read': ['/background-jobs'],
  'IotHub read': [
    ...['/applications', '/originators', '/applications/$/details', '/devices', '/devices/$/details'],
    ...['/device-types', '/device-types/$/details', '/device-monitoring', '/data-sources'],
    ...['/consumers', '/consumers/$'],
  ].map((path) => `${classic}${path}`),
  'IotHub manage': [`${classic}/devices/csv/upload`],
  'IotHub read or all read': ['/gw-mgmt', '/gw-mgmt/$/details', '/gw-mgmt/map/$/gateways'].map(
    (path) => `${classic}${path}`,
  ),
}

test('every screen of the specification is open to exactly whom it names', () => {
  const ours = new Map(screens.map(({ path, rule }) => [path.replace(/\$\w+/g, '$'), inWords(rule)]))
  const differing = Object.entries(specified).flatMap(([rule, paths]) =>
    paths
      .filter((path) => ours.get(path) !== rule)
      .map((path) => `${path}: ${rule}, but has ${ours.get(path)}`),
  )
  expect(differing).toEqual([])
})

test('old addresses lead to screens', () => {
  const paths = screens.map(({ path }) => path)
  for (const { to } of redirects) expect(paths).toContain(to)
})

function inWords(rule: AccessRule): string {
  if (typeof rule === 'string') return rule
  const one = ({ subject, action }: { subject: string; action: string }) => `${subject} ${action}`
  return rule.any
    .map((alternative) =>
      'all' in alternative ? `(${alternative.all.map(one).join(' and ')})` : one(alternative),
    )
    .join(' or ')
}

test('maps have no footer, everything else has', () => {
  const without = screens.filter((screen) => screen.layout === 'shell' && !hasFooter(screen))
  expect(without.map(({ path }) => path).toSorted()).toEqual(
    [
      '/digitaltwin-mgmt/map/twin/$twinId',
      '/is-assetmgmt/map',
      `${classic}/gw-mgmt/map/$accountId/gateways`,
      '/virtual-device-groups/map',
      '/virtual-devices/map',
    ].toSorted(),
  )
})
