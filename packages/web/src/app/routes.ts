import { type AccessRule, anyOf, may } from '@leitstand/contract/permissions'
import type { ComponentType } from 'react'
import { AccountsPage, FlagsPage, ModulesPage } from '../features/accounts/screens.ts'
import { ReportsPage } from '../features/alarmReports/screens.ts'
import { AlarmsPage, AnalysisPage } from '../features/alarms/screens.ts'
import { AnnouncementsPage } from '../features/announcements/screens.ts'
import { AssetMapPage, AssetPage, AssetsPage, ZonesPage } from '../features/assets/screens.ts'
import { ConnectorCreatePage, ConnectorPage, ConnectorsPage } from '../features/connectors/screens.ts'
import { DashboardPage, DashboardsPage, PrintPage } from '../features/dashboards/screens.ts'
import { DeviceMapPage, DevicePage, DevicesPage } from '../features/devices/screens.ts'
import { DriverPage, DriversPage, LibraryDriverPage, LibraryPage } from '../features/drivers/screens.ts'
import { SchedulesPage } from '../features/exportSchedules/screens.ts'
import { GroupMapPage, GroupPage, GroupsPage } from '../features/groups/screens.ts'
import { ApiPage, HelpPage, ManualPage } from '../features/help/screens.ts'
import { HomePage } from '../features/home/screens.ts'
import { JobsPage } from '../features/jobs/screens.ts'
import { KeysPage, MyKeysPage } from '../features/keys/screens.ts'
import { StateOverviewPage } from '../features/overview/screens.ts'
import {
  BulkPage,
  ChangePasswordPage,
  ErrorPage,
  ProfilePage,
  ResetPasswordPage,
  UserPage,
} from '../features/people/screens.ts'
import { OAuthPage, ServiceBuildersPage } from '../features/provider/screens.ts'
import { RolesPage } from '../features/rights/screens.ts'
import { RuleMailPage, RulesMonitorPage } from '../features/rules/screens.ts'
import {
  DrawerLinksPage,
  ImprintPage,
  PrivacyPage,
  SystemLogsPage,
  SystemSettingsPage,
  TermsPage,
} from '../features/settings/screens.ts'
import { SetupPage } from '../features/setup/screens.ts'
import { PublicMapPage, PublicTilesPage } from '../features/sharing/screens.ts'
import { LoginPage } from '../features/signon/screens.ts'
import { TemplatePage, TemplatesPage } from '../features/templates/screens.ts'
import { TerminalPage } from '../features/terminal/screens.ts'
import { AddTicketPage, TicketSuccessPage, TicketsPage } from '../features/tickets/screens.ts'
import { TracePage } from '../features/traces/screens.ts'
import { TwinList, TwinMapPage, TwinPage, TwinsPage } from '../features/twins/screens.ts'
import { MonitorPage, WarnappPage } from '../features/warnapp/screens.ts'

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
/** A trace shows what its reader may see of it. */
const readTraces = anyOf(readTwins, readDevices)
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
  screen('/login', 'login', 'public', 'plain', 'everyone', LoginPage),
  screen('/error', 'error', 'public', 'plain', 'everyone', ErrorPage),
  screen('/reset-password', 'resetPassword', 'public', 'plain', 'everyone', ResetPasswordPage),
  screen('/change-password', 'changePassword', 'public', 'plain', 'everyone', ChangePasswordPage),
  screen('/rule-mail', 'ruleMail', 'public', 'plain', 'everyone', RuleMailPage),
  screen('/oauth', 'oauth', 'public', 'plain', 'everyone', OAuthPage),
  screen('/imprint', 'imprint', 'public', 'plain', 'everyone', ImprintPage),
  screen('/privacy', 'privacy', 'public', 'plain', 'everyone', PrivacyPage),
  screen('/terms', 'terms', 'public', 'plain', 'everyone', TermsPage),
  screen('/manual', 'manual', 'public', 'plain', 'everyone', ManualPage),
  screen('/manual/$page', 'manualPage', 'public', 'plain', 'everyone', ManualPage),
  screen('/public/$key/tiles/$id', 'publicTiles', 'public', 'bare', 'everyone', PublicTilesPage),
  screen('/print/dashboards/$id', 'print', 'public', 'bare', 'everyone', PrintPage),
  screen('/public/$key/map/$twinId', 'publicMap', 'public', 'bare', 'everyone', PublicMapPage),

  shell('/home', 'home', 'session', 'everyone', HomePage),
  shell('/user-profile', 'userProfile', 'session', 'everyone', ProfilePage),
  shell('/help', 'help', 'session', 'everyone', HelpPage),
  shell('/api', 'api', 'session', 'developers', ApiPage),
  shell('/scheduled-exports', 'scheduledExports', 'session', 'operators', SchedulesPage),
  shell('/background-jobs', 'backgroundJobs', followJobs, 'operators', JobsPage),

  shell('/account-mgmt', 'accounts', seeAccounts, 'accountAdmins', AccountsPage),
  shell('/account-mgmt/$tenantId', 'account', seeAccounts, 'accountAdmins', AccountsPage),
  shell(
    '/account-mgmt/user/$tenantId',
    'userCreate',
    may('UserManagement', 'create'),
    'accountAdmins',
    UserPage,
  ),
  shell(
    '/account-mgmt/user-bulk-create/$tenantId',
    'userBulk',
    may('UserManagement', 'create'),
    'accountAdmins',
    BulkPage,
  ),
  shell(
    '/account-mgmt/user/$tenantId/$id',
    'userEdit',
    may('UserManagement', 'manage'),
    'accountAdmins',
    UserPage,
  ),
  shell('/account-mgmt-roles', 'roles', manageAll, 'systemAdmins', RolesPage),
  shell('/system-logs', 'systemLogs', manageAll, 'systemAdmins', SystemLogsPage),
  shell('/system-settings', 'systemSettings', manageAll, 'systemAdmins', SystemSettingsPage),
  shell('/setup', 'setup', may('super.system', 'manage'), 'systemAdmins', SetupPage),
  shell('/drawer-links', 'drawerLinks', may('super.system', 'manage'), 'systemAdmins', DrawerLinksPage),
  shell('/account-mgmt-announcements', 'announcements', manageAll, 'systemAdmins', AnnouncementsPage),
  shell('/account-mgmt-modules', 'modules', manageAll, 'systemAdmins', ModulesPage),
  shell('/account-mgmt-flags', 'featureFlags', may('super.system', 'manage'), 'systemAdmins', FlagsPage),
  shell('/superadmin-terminal', 'terminal', may('super.system', 'manage'), 'systemAdmins', TerminalPage),

  shell('/fm-access', 'fmAccess', may('IsFmAccess', 'write', 'manage'), 'facility', MyKeysPage),
  shell('/fm-access-mgmt', 'fmAccessMgmt', may('IsFmAccess', 'manage'), 'facility', KeysPage),
  shell('/fm-ticketing-mgmt', 'fmTickets', may('IsFmTicket', 'read', 'manage'), 'facility', TicketsPage),
  shell('/fm-add-ticket', 'fmAddTicket', may('IsFmTicket', 'create', 'manage'), 'facility', AddTicketPage),
  shell(
    '/fm-ticket-success',
    'fmTicketSuccess',
    may('IsFmTicket', 'create', 'manage'),
    'facility',
    TicketSuccessPage,
  ),

  shell('/digitaltwin-state-overview', 'stateOverview', readStates, 'operators', StateOverviewPage),
  shell('/digitaltwin-mgmt', 'twins', readTwins, 'operators', TwinsPage),
  shell('/digitaltwin-mgmt/list', 'twinList', readTwins, 'operators', TwinList),
  shell('/digitaltwin-mgmt/$id', 'twin', readTwins, 'operators', TwinPage),
  shell('/digitaltwin-mgmt/map/twin/$twinId', 'twinMap', readTwins, 'operators', TwinMapPage),
  shell('/digitaltwin/rules-monitor', 'rulesMonitor', readTwins, 'operators', RulesMonitorPage),
  shell('/trace', 'trace', readTraces, 'operators', TracePage),
  shell('/dashboards', 'dashboards', readDashboards, 'operators', DashboardsPage),
  shell('/dashboards/$id', 'dashboard', readDashboards, 'operators', DashboardPage),

  shell('/is-assetmgmt/assets', 'assets', readAssets, 'facility', AssetsPage),
  shell('/is-assetmgmt/assets/$id', 'asset', readAssets, 'facility', AssetPage),
  shell('/is-assetmgmt/zones', 'zones', readAssets, 'facility', ZonesPage),
  shell('/is-assetmgmt/map', 'assetMap', readAssets, 'facility', AssetMapPage),
  screen(
    '/is-warnapp-viewer',
    'warnappViewer',
    may('IsWarnapp', 'read', 'manage'),
    'bare',
    'facility',
    MonitorPage,
  ),
  shell('/is-warnapp-admin', 'warnappAdmin', may('IsWarnapp', 'manage'), 'facility', WarnappPage),

  shell('/virtual-devices', 'devices', readDevices, 'operators', DevicesPage),
  shell('/virtual-devices/$id', 'device', readDevices, 'operators', DevicePage),
  shell('/virtual-devices/map', 'deviceMap', readDevices, 'operators', DeviceMapPage),
  shell('/virtual-device-groups', 'deviceGroups', readDevices, 'operators', GroupsPage),
  shell('/virtual-device-groups/$id', 'deviceGroup', readDevices, 'operators', GroupPage),
  shell('/virtual-device-groups/map', 'deviceGroupMap', readDevices, 'operators', GroupMapPage),
  shell('/virtual-device-drivers', 'drivers', readDrivers, 'developers', DriversPage),
  shell('/virtual-device-drivers/library', 'driverLibrary', readDrivers, 'developers', LibraryPage),
  shell(
    '/virtual-device-drivers/library/$key',
    'libraryDriver',
    readDrivers,
    'developers',
    LibraryDriverPage,
  ),
  shell('/virtual-device-drivers/$id', 'driver', readDrivers, 'developers', DriverPage),
  shell('/device-templates', 'deviceTemplates', readTemplates, 'developers', TemplatesPage),
  shell('/device-templates/$id', 'deviceTemplate', readTemplates, 'developers', TemplatePage),
  shell('/alarm-logs', 'alarmLogs', may('VirtualDevice', 'read'), 'operators', AlarmsPage),
  shell('/alarm-logs/analysis', 'alarmAnalysis', may('VirtualDevice', 'read'), 'operators', AnalysisPage),
  shell('/alarm-log-reports', 'alarmReports', may('VirtualDevice', 'manage'), 'operators', ReportsPage),

  shell('/connectors/list', 'connectors', manageAll, 'developers', ConnectorsPage),
  shell('/connectors/create', 'connectorCreate', manageAll, 'developers', ConnectorCreatePage),
  shell('/connectors/edit/$account/$id', 'connector', manageAll, 'developers', ConnectorPage),
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
  shell(
    `${classic}/service-builders`,
    'classicServiceBuilders',
    manageAll,
    'systemAdmins',
    ServiceBuildersPage,
  ),
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
