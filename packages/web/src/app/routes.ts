import { type AccessRule, anyOf, may } from '@leitstand/contract/permissions'
import type { ComponentType } from 'react'

/** Intended audience of a screen; its text is `planned.audience.<audience>`. */
export type Audience = 'everyone' | 'operators' | 'facility' | 'accountAdmins' | 'systemAdmins' | 'developers'

/** `shell`: drawer and toolbar. `plain`: a page of its own (sign-in). `bare`: no frame, full height. */
export type Layout = 'shell' | 'plain' | 'bare'

type Screen = { default: ComponentType }

/** One screen of the console. Its texts are `screens.<key>.title` and, until it is built, `.holds`. */
export interface ScreenRoute {
  /** Path of the hash route; parameters as `$name`. */
  path: string
  key: string
  rule: AccessRule
  layout: Layout
  audience: Audience
  /** Loads the screen; absent while it is not built, then a placeholder is shown. */
  load?: () => Promise<Screen>
}

const manageAll = may('all', 'manage')
const readTwins = may('DigitalTwin', 'read')
const readDashboards = may('Dashboards', 'read')
const readDevices = may('VirtualDevice', 'read', 'manage')
const readDrivers = may('DeviceDriver', 'read', 'manage')
const readTemplates = may('DeviceTemplate', 'read', 'manage')
const readHub = may('IotHub', 'read')
const readHubOrAll = anyOf(may('IotHub', 'read'), may('all', 'read'))
const seeAccounts = may('UserManagement', 'create', 'read')
const readAssets = may('IsAssetMgmt', 'read')
const readStates: AccessRule = {
  any: [
    {
      all: [
        { subject: 'DigitalTwinStates', action: 'read' },
        { subject: 'DigitalTwin', action: 'list' },
      ],
    },
    { subject: 'DigitalTwin', action: 'read' },
  ],
}
const followJobs = anyOf(may('DigitalTwin', 'read'), may('IotHub', 'read'), may('VirtualDevice', 'read'))

const shell = (
  path: string,
  key: string,
  rule: AccessRule,
  audience: Audience,
  load?: () => Promise<Screen>,
) => screen(path, key, rule, 'shell', audience, load)

function screen(
  path: string,
  key: string,
  rule: AccessRule,
  layout: Layout,
  audience: Audience,
  load?: () => Promise<Screen>,
): ScreenRoute {
  return load ? { path, key, rule, layout, audience, load } : { path, key, rule, layout, audience }
}

/** Maps fill the window below the toolbar (specification 1, section 2), so they have no footer. */
export function hasFooter({ path }: Pick<ScreenRoute, 'path'>): boolean {
  return !path.split('/').includes('map')
}

/** Prefix of the classic hub's routes. */
export const classic = '/leitstand-classic'

/**
 * Every screen of the console, in the order of the specification. A screen without a loader shows a
 * placeholder. To build one: write it in `features/<name>` as a default export and name its loader here.
 */
export const screens: readonly ScreenRoute[] = [
  screen('/login', 'login', 'public', 'plain', 'everyone', () => import('../features/people/LoginPage.tsx')),
  screen('/error', 'error', 'public', 'plain', 'everyone', () => import('../features/people/ErrorPage.tsx')),
  screen(
    '/reset-password',
    'resetPassword',
    'public',
    'plain',
    'everyone',
    () => import('../features/people/ResetPasswordPage.tsx'),
  ),
  screen(
    '/change-password',
    'changePassword',
    'public',
    'plain',
    'everyone',
    () => import('../features/people/ChangePasswordPage.tsx'),
  ),
  screen(
    '/rule-mail',
    'ruleMail',
    'public',
    'plain',
    'everyone',
    () => import('../features/rules/RuleMailPage.tsx'),
  ),
  screen(
    '/oauth',
    'oauth',
    'public',
    'plain',
    'everyone',
    () => import('../features/provider/OAuthPage.tsx'),
  ),
  screen('/public/$key/tiles/$id', 'publicTiles', 'public', 'bare', 'everyone'),
  screen('/public/$key/map/$twinId', 'publicMap', 'public', 'bare', 'everyone'),

  shell('/home', 'home', 'session', 'everyone', () => import('../features/home/HomePage.tsx')),
  shell(
    '/user-profile',
    'userProfile',
    'session',
    'everyone',
    () => import('../features/people/ProfilePage.tsx'),
  ),
  shell('/help', 'help', 'session', 'everyone', () => import('../features/help/HelpPage.tsx')),
  shell('/api', 'api', 'session', 'developers', () => import('../features/help/ApiPage.tsx')),
  shell('/scheduled-exports', 'scheduledExports', 'session', 'operators'),
  shell(
    '/background-jobs',
    'backgroundJobs',
    followJobs,
    'operators',
    () => import('../features/jobs/JobsPage.tsx'),
  ),

  shell(
    '/account-mgmt',
    'accounts',
    seeAccounts,
    'accountAdmins',
    () => import('../features/accounts/AccountsPage.tsx'),
  ),
  shell(
    '/account-mgmt/$tenantId',
    'account',
    seeAccounts,
    'accountAdmins',
    () => import('../features/accounts/AccountsPage.tsx'),
  ),
  shell(
    '/account-mgmt/user/$tenantId',
    'userCreate',
    may('UserManagement', 'create'),
    'accountAdmins',
    () => import('../features/accounts/UserPage.tsx'),
  ),
  shell(
    '/account-mgmt/user-bulk-create/$tenantId',
    'userBulk',
    may('UserManagement', 'create'),
    'accountAdmins',
    () => import('../features/accounts/BulkPage.tsx'),
  ),
  shell(
    '/account-mgmt/user/$tenantId/$id',
    'userEdit',
    may('UserManagement', 'manage'),
    'accountAdmins',
    () => import('../features/accounts/UserPage.tsx'),
  ),
  shell(
    '/account-mgmt-roles',
    'roles',
    manageAll,
    'systemAdmins',
    () => import('../features/accounts/RolesPage.tsx'),
  ),
  shell(
    '/system-logs',
    'systemLogs',
    manageAll,
    'systemAdmins',
    () => import('../features/settings/SystemLogsPage.tsx'),
  ),
  shell('/system-settings', 'systemSettings', manageAll, 'systemAdmins'),
  shell('/drawer-links', 'drawerLinks', may('super.system', 'manage'), 'systemAdmins'),
  shell('/account-mgmt-announcements', 'announcements', manageAll, 'systemAdmins'),
  shell(
    '/account-mgmt-modules',
    'modules',
    manageAll,
    'systemAdmins',
    () => import('../features/accounts/modules/ModulesPage.tsx'),
  ),
  shell('/superadmin-terminal', 'terminal', may('super.system', 'manage'), 'systemAdmins'),

  shell('/fm-access', 'fmAccess', may('IsFmAccess', 'write', 'manage'), 'facility'),
  shell('/fm-access-mgmt', 'fmAccessMgmt', may('IsFmAccess', 'manage'), 'facility'),
  shell('/fm-ticketing-mgmt', 'fmTickets', may('IsFmTicket', 'read', 'manage'), 'facility'),
  shell('/fm-add-ticket', 'fmAddTicket', may('IsFmTicket', 'create', 'manage'), 'facility'),
  shell('/fm-ticket-success', 'fmTicketSuccess', may('IsFmTicket', 'create', 'manage'), 'facility'),

  shell('/digitaltwin-state-overview', 'stateOverview', readStates, 'operators'),
  shell(
    '/digitaltwin-mgmt',
    'twins',
    readTwins,
    'operators',
    () => import('../features/twins/TwinsPage.tsx'),
  ),
  shell(
    '/digitaltwin-mgmt/list',
    'twinList',
    readTwins,
    'operators',
    () => import('../features/twins/TwinList.tsx'),
  ),
  shell(
    '/digitaltwin-mgmt/$id',
    'twin',
    readTwins,
    'operators',
    () => import('../features/twins/TwinPage.tsx'),
  ),
  shell('/digitaltwin-mgmt/map/twin/$twinId', 'twinMap', readTwins, 'operators'),
  shell(
    '/digitaltwin/rules-monitor',
    'rulesMonitor',
    readTwins,
    'operators',
    () => import('../features/rules/RulesMonitorPage.tsx'),
  ),
  shell(
    '/dashboards',
    'dashboards',
    readDashboards,
    'operators',
    () => import('../features/dashboards/DashboardsPage.tsx'),
  ),
  shell(
    '/dashboards/$id',
    'dashboard',
    readDashboards,
    'operators',
    () => import('../features/dashboards/DashboardPage.tsx'),
  ),

  shell('/is-assetmgmt/assets', 'assets', readAssets, 'facility'),
  shell('/is-assetmgmt/assets/$id', 'asset', readAssets, 'facility'),
  shell('/is-assetmgmt/zones', 'zones', readAssets, 'facility'),
  shell('/is-assetmgmt/map', 'assetMap', readAssets, 'facility'),
  screen('/is-warnapp-viewer', 'warnappViewer', may('IsWarnapp', 'read', 'manage'), 'bare', 'facility'),
  shell('/is-warnapp-admin', 'warnappAdmin', may('IsWarnapp', 'manage'), 'facility'),

  shell(
    '/virtual-devices',
    'devices',
    readDevices,
    'operators',
    () => import('../features/devices/DevicesPage.tsx'),
  ),
  shell(
    '/virtual-devices/$id',
    'device',
    readDevices,
    'operators',
    () => import('../features/devices/DevicePage.tsx'),
  ),
  shell(
    '/virtual-devices/map',
    'deviceMap',
    readDevices,
    'operators',
    () => import('../features/devices/DeviceMapPage.tsx'),
  ),
  shell('/virtual-device-groups', 'deviceGroups', readDevices, 'operators'),
  shell('/virtual-device-groups/$id', 'deviceGroup', readDevices, 'operators'),
  shell('/virtual-device-groups/map', 'deviceGroupMap', readDevices, 'operators'),
  shell(
    '/virtual-device-drivers',
    'drivers',
    readDrivers,
    'developers',
    () => import('../features/drivers/DriversPage.tsx'),
  ),
  shell(
    '/virtual-device-drivers/library',
    'driverLibrary',
    readDrivers,
    'developers',
    () => import('../features/drivers/library/LibraryPage.tsx'),
  ),
  shell(
    '/virtual-device-drivers/library/$key',
    'libraryDriver',
    readDrivers,
    'developers',
    () => import('../features/drivers/library/LibraryDriverPage.tsx'),
  ),
  shell(
    '/virtual-device-drivers/$id',
    'driver',
    readDrivers,
    'developers',
    () => import('../features/drivers/DriverPage.tsx'),
  ),
  shell(
    '/device-templates',
    'deviceTemplates',
    readTemplates,
    'developers',
    () => import('../features/templates/TemplatesPage.tsx'),
  ),
  shell(
    '/device-templates/$id',
    'deviceTemplate',
    readTemplates,
    'developers',
    () => import('../features/templates/TemplatePage.tsx'),
  ),
  shell(
    '/alarm-logs',
    'alarmLogs',
    may('VirtualDevice', 'read'),
    'operators',
    () => import('../features/alarms/AlarmsPage.tsx'),
  ),
  shell('/alarm-log-reports', 'alarmReports', may('VirtualDevice', 'manage'), 'operators'),

  shell(
    '/connectors/list',
    'connectors',
    manageAll,
    'developers',
    () => import('../features/connectors/ConnectorsPage.tsx'),
  ),
  shell(
    '/connectors/create',
    'connectorCreate',
    manageAll,
    'developers',
    () => import('../features/connectors/ConnectorCreatePage.tsx'),
  ),
  shell(
    '/connectors/edit/$account/$id',
    'connector',
    manageAll,
    'developers',
    () => import('../features/connectors/ConnectorPage.tsx'),
  ),
  shell('/connectors/consumers/list', 'flows', manageAll, 'developers'),
  shell('/connectors/consumers/filters', 'flowFilters', manageAll, 'developers'),
  shell('/connectors/consumers/transformers', 'transformers', manageAll, 'developers'),
  shell('/connectors/consumers/transformers/create', 'transformerCreate', manageAll, 'developers'),
  shell('/connectors/consumers/transformers/$id', 'transformer', manageAll, 'developers'),

  shell(`${classic}/applications`, 'classicApplications', readHub, 'developers'),
  shell(`${classic}/originators`, 'classicOriginators', readHub, 'developers'),
  shell(`${classic}/applications/$applicationId/details`, 'classicApplication', readHub, 'developers'),
  shell(`${classic}/devices`, 'classicDevices', readHub, 'operators'),
  shell(`${classic}/devices/$deviceId/details`, 'classicDevice', readHub, 'operators'),
  shell(`${classic}/devices/csv/upload`, 'classicDeviceUpload', may('IotHub', 'manage'), 'operators'),
  shell(`${classic}/device-types`, 'classicDeviceTypes', readHub, 'developers'),
  shell(`${classic}/device-types/$deviceTypeId/details`, 'classicDeviceType', readHub, 'developers'),
  shell(`${classic}/device-monitoring`, 'classicMonitoring', readHub, 'operators'),
  shell(`${classic}/gw-mgmt`, 'classicGateways', readHubOrAll, 'operators'),
  shell(`${classic}/gw-mgmt/$gatewayId/details`, 'classicGateway', readHubOrAll, 'operators'),
  shell(`${classic}/gw-mgmt/map/$accountId/gateways`, 'classicGatewayMap', readHubOrAll, 'operators'),
  shell(`${classic}/data-sources`, 'classicDataSources', readHub, 'developers'),
  shell(`${classic}/consumers`, 'classicConsumers', readHub, 'developers'),
  shell(`${classic}/consumers/$id`, 'classicConsumer', readHub, 'developers'),
  shell(`${classic}/service-builders`, 'classicServiceBuilders', manageAll, 'systemAdmins'),
]

/** Old addresses that lead elsewhere. */
export const redirects: readonly { from: string; to: string }[] = [
  { from: '/', to: '/home' },
  { from: '/fm-building-mgmt', to: '/digitaltwin-state-overview' },
]

const byPath = new Map(screens.map((entry) => [entry.path, entry]))

/** The screen of a route path as written in the table, e.g. `/virtual-devices/$id`. */
export function screenByPath(path: string): ScreenRoute | undefined {
  return byPath.get(path)
}
