/**
 * The contract: every operation of the API, defined once. The server implements it, the console and the
 * benchmarks call it, `/api/openapi.json` is generated from it.
 */
import { accounts } from './accounts.ts'
import { activityLog } from './activity.ts'
import { alarmMaintenance } from './alarmMaintenance.ts'
import { alarmNotifications } from './alarmNotifications.ts'
import { alarmReports } from './alarmReports.ts'
import { alarmLogs } from './alarms.ts'
import { announcement } from './announcements.ts'
import { apikey } from './apikeys.ts'
import { application, exchange, oauth } from './applications.ts'
import { isAssetMgmt } from './assets.ts'
import { auth, favorite, tenant, user } from './auth.ts'
import { brand, drawerLink } from './branding.ts'
import { bridge } from './bridge.ts'
import { bulk } from './bulk.ts'
import { bulkDuplicate } from './bulkDuplicate.ts'
import { twinCopy } from './copies.ts'
import { dashboards } from './dashboards.ts'
import { diskUsage } from './diskUsage.ts'
import { domains } from './domains.ts'
import { downlink } from './downlinks.ts'
import { devicedrivers, dispatcher } from './drivers.ts'
import { exportSchedules } from './exportSchedules.ts'
import { exporting } from './exports.ts'
import { failedSignIn } from './failedSignIns.ts'
import { flags } from './featureFlags.ts'
import { feedback } from './feedback.ts'
import { systemFigure } from './figures.ts'
import { upload } from './files.ts'
import { floor } from './floors.ts'
import { geocoder } from './geocoder.ts'
import { deviceHealth, driverHealth } from './health.ts'
import { insight } from './insight.ts'
import { integrations } from './integrations.ts'
import { job } from './jobs.ts'
import { isfmAccessMgmt } from './keys.ts'
import { letters } from './letters.ts'
import { limitHits } from './limitHits.ts'
import { systemLoad } from './load.ts'
import { mail } from './mails.ts'
import { mailTemplate } from './mailTemplates.ts'
import { map } from './maps.ts'
import { accountModules, moduleRules } from './modules.ts'
import { nodes } from './nodes.ts'
import { objects } from './objects.ts'
import { stateOverview } from './overview.ts'
import { parkedEvents } from './parkedEvents.ts'
import { push } from './push.ts'
import { receptionOfDevice } from './reception.ts'
import { redecoding } from './redecoding.ts'
import { remoteOfBridge, remoteOfBulk, remoteOfDevice } from './remote.ts'
import { acl, scope, userAccess } from './roles.ts'
import { ruleMail } from './ruleMails.ts'
import { ddr } from './rules.ts'
import { series } from './series.ts'
import { serviceBuilder } from './serviceBuilders.ts'
import { setup } from './setup.ts'
import { dashboardSharing, shared, sharing } from './sharing.ts'
import { password, session, twofactor } from './signin.ts'
import { smartGroup } from './smartGroups.ts'
import { oauth2Client, oidcClient, sso } from './sso.ts'
import { state } from './states.ts'
import { stateValue } from './stateValues.ts'
import { systemLog } from './systemLog.ts'
import { deviceTemplate, templateOfDevice } from './templates.ts'
import { terminal } from './terminal.ts'
import { ownConsent, termsOfAccount, termsOfDomain } from './terms.ts'
import { isFmTicket } from './tickets.ts'
import { trace } from './traces.ts'
import { twinBulk } from './twinBulk.ts'
import { digitaltwin } from './twins.ts'
import { twinUndo } from './twinUndo.ts'
import { userCare } from './userCare.ts'
import { userRelation } from './userRelations.ts'
import { users } from './users.ts'
import { stateView, twinView, view } from './views.ts'
import { virtualdevice } from './virtualdevices.ts'
import { isWarnapp } from './warnapp.ts'

export const contract = {
  auth,
  user: { ...user, ...users, ...userCare, ...userAccess, ...ownConsent },
  password,
  twofactor,
  session,
  apikey,
  sso,
  oidcClient,
  oauth2Client,
  application,
  oauth,
  exchange,
  acl,
  insight,
  failedSignIn,
  flags,
  serviceBuilder,
  module: { ...moduleRules, ...accountModules },
  system: { ...systemLoad, ...parkedEvents, ...systemLog },
  announcement,
  diskUsage,
  nodes,
  scope,
  setup,
  terminal,
  terms: { ...termsOfDomain, ...termsOfAccount },
  tenant: { ...tenant, ...accounts, ...domains, ...limitHits, ...integrations },
  brand,
  drawerLink,
  favorite,
  activityLog,
  mail,
  mailTemplate,
  map,
  bridge: { ...bridge, ...receptionOfDevice },
  devicedrivers: { ...devicedrivers, ...driverHealth },
  dispatcher,
  downlink,
  deviceTemplate: { ...deviceTemplate, ...templateOfDevice },
  virtualdevice,
  health: deviceHealth,
  view,
  smartGroup,
  upload,
  floor,
  geocoder,
  digitaltwin,
  twinCopy,
  bulkDuplicate,
  twinBulk,
  twinUndo,
  state,
  stateValue,
  systemFigure,
  stateOverview,
  stateView,
  twinView,
  userRelation,
  series,
  ddr,
  push,
  ruleMail,
  alarmLogs,
  alarmMaintenance,
  alarmNotifications,
  alarmReports,
  isAssetMgmt,
  isFmTicket,
  isWarnapp,
  isfmAccessMgmt,
  dashboards,
  sharing,
  dashboardSharing,
  shared,
  job,
  exporting,
  exportSchedules,
  objects,
  bulk,
  remote: { ...remoteOfBridge, ...remoteOfBulk, ...remoteOfDevice },
  feedback,
  letters: { ...letters, ...redecoding },
  trace,
}

export type Contract = typeof contract

export * from './accounts.ts'
export * from './activity.ts'
export * from './alarmMaintenance.ts'
export * from './alarmNotifications.ts'
export * from './alarmReports.ts'
export * from './alarms.ts'
export * from './announcements.ts'
export * from './apikeys.ts'
export * from './applications.ts'
export * from './assets.ts'
export * from './auth.ts'
export * from './brandColours.ts'
export * from './branding.ts'
export * from './bridge.ts'
export * from './bulk.ts'
export * from './bulkDuplicate.ts'
export * from './common.ts'
export * from './copies.ts'
export * from './dashboards.ts'
export * from './diskUsage.ts'
export * from './domains.ts'
export * from './drivers.ts'
export * from './errors.ts'
export * from './exportSchedules.ts'
export * from './exports.ts'
export * from './failedSignIns.ts'
export * from './figures.ts'
export * from './files.ts'
export * from './floors.ts'
export * from './geoHistory.ts'
export * from './health.ts'
export * from './identifiers.ts'
export * from './insight.ts'
export * from './integrations.ts'
export * from './jobs.ts'
export * from './keys.ts'
export * from './letters.ts'
export * from './limitHits.ts'
export * from './live.ts'
export * from './mails.ts'
export * from './mailTemplates.ts'
export * from './modules.ts'
export * from './nodes.ts'
export * from './parkedEvents.ts'
export * from './permissions.ts'
export * from './push.ts'
export * from './reception.ts'
export * from './remote.ts'
export * from './roles.ts'
export * from './ruleMails.ts'
export * from './rules.ts'
export * from './series.ts'
export * from './serviceBuilders.ts'
export * from './setup.ts'
export * from './sharing.ts'
export * from './signin.ts'
export * from './smartGroups.ts'
export * from './sso.ts'
export * from './states.ts'
export * from './stateValues.ts'
export * from './systemLog.ts'
export * from './templates.ts'
export * from './terminal.ts'
export * from './terms.ts'
export * from './tickets.ts'
export * from './traces.ts'
export * from './twinBulk.ts'
export * from './twins.ts'
export * from './twinUndo.ts'
export * from './userCare.ts'
export * from './userRelations.ts'
export * from './users.ts'
export * from './views.ts'
export * from './virtualdevices.ts'
export * from './warnapp.ts'
export * from './warnLevels.ts'
