import type { AccountBounds } from '@leitstand/contract'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { StoredAccount } from './account.ts'
import type { SettingChange } from './store.ts'

/** A limit or the retention of an account. */
interface Bound {
  column: keyof SettingChange
  /** its name in the activity log */
  name: string
  own: (account: StoredAccount) => number | null
  /** changed by system administrators only; others by administrators of the account above */
  system: boolean
}

const bounds: Readonly<Record<keyof AccountBounds, Bound>> = {
  devices: {
    column: 'device_limit',
    name: 'deviceLimit',
    own: ({ limits }) => limits.devices.own,
    system: false,
  },
  templates: {
    column: 'template_limit',
    name: 'templateLimit',
    own: ({ limits }) => limits.templates.own,
    system: false,
  },
  fileMegabytes: {
    column: 'file_megabytes',
    name: 'fileLimit',
    own: ({ limits }) => limits.files.own,
    system: false,
  },
  bulkDevices: {
    column: 'bulk_limit',
    name: 'bulkLimit',
    own: ({ limits }) => limits.bulk.own,
    system: false,
  },
  csvRows: {
    column: 'csv_export_limit',
    name: 'csvExportLimit',
    own: ({ limits }) => limits.csvExport.own,
    system: false,
  },
  ruleMails: {
    column: 'rule_mail_limit',
    name: 'ruleMailLimit',
    own: ({ limits }) => limits.ruleMails.own,
    system: false,
  },
  retentionMonths: {
    column: 'retention_months',
    name: 'retentionMonths',
    own: ({ ownRetentionMonths }) => ownRetentionMonths,
    system: true,
  },
  messagesPerSecond: {
    column: 'messages_per_second',
    name: 'messagesPerSecond',
    own: ({ messagesPerSecond }) => messagesPerSecond,
    system: true,
  },
}

/** The given bounds with their values. */
function given(wanted: AccountBounds): { bound: Bound; value: number | null }[] {
  return Object.entries(wanted).flatMap(([key, value]) =>
    value === undefined ? [] : [{ bound: bounds[key as keyof AccountBounds], value }],
  )
}

/** @throws AppError NO_PERMISSION if the caller may not change all of them */
export function demandBounds(caller: Caller, account: StoredAccount, wanted: AccountBounds): void {
  for (const { bound } of given(wanted)) {
    if (bound.system && !caller.scopeIds('super.system', 'manage').includes(account.scopeId))
      throw new AppError('NO_PERMISSION', { subject: 'super.system', action: 'manage' })
    // Administrators cannot lift a limit set by the account above.
    if (!bound.system && !account.limitsEditable)
      throw new AppError('NO_PERMISSION', { subject: 'all', action: 'manage' })
  }
}

/** The columns to change. */
export function columnsOf(wanted: AccountBounds): SettingChange {
  return Object.fromEntries(given(wanted).map(({ bound, value }) => [bound.column, value]))
}

/** The changes for the activity log. */
export function boundChanges(
  before: StoredAccount,
  wanted: AccountBounds,
): Record<string, [unknown, unknown]> {
  return Object.fromEntries(given(wanted).map(({ bound, value }) => [bound.name, [bound.own(before), value]]))
}
