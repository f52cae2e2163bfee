/**
 * The contract: every operation of the API, written once. The server implements it, the console and the benchmarks call
 * it, `/api/openapi.json` is generated from it.
 */
import { activityLog } from './activity.ts'
import { alarmLogs } from './alarms.ts'
import { acl, auth, favorite, tenant, user } from './auth.ts'
import { bridge } from './bridge.ts'
import { dashboards } from './dashboards.ts'
import { devicedrivers, dispatcher } from './drivers.ts'
import { mail } from './mails.ts'
import { ddr } from './rules.ts'
import { series } from './series.ts'
import { state } from './states.ts'
import { digitaltwin } from './twins.ts'
import { virtualdevice } from './virtualdevices.ts'

export const contract = {
  auth,
  user,
  acl,
  tenant,
  favorite,
  activityLog,
  mail,
  bridge,
  devicedrivers,
  dispatcher,
  virtualdevice,
  digitaltwin,
  state,
  series,
  ddr,
  alarmLogs,
  dashboards,
}

export type Contract = typeof contract

export * from './activity.ts'
export * from './alarms.ts'
export * from './auth.ts'
export * from './bridge.ts'
export * from './common.ts'
export * from './dashboards.ts'
export * from './drivers.ts'
export * from './errors.ts'
export * from './identifiers.ts'
export * from './live.ts'
export * from './mails.ts'
export * from './permissions.ts'
export * from './rules.ts'
export * from './series.ts'
export * from './states.ts'
export * from './twins.ts'
export * from './virtualdevices.ts'
