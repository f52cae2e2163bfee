import type { Account } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { accountFor, managedAccount, note } from './account.ts'
import { type SettingChange, updateSettings } from './store.ts'

interface Setting {
  id: number
  version: number
  change: SettingChange
  /** the changes for the activity log */
  changes: (before: Account) => object
}

/** Single settings of an account, each with its own operation because they require different permissions. */
export function settingRoutes({ db }: Context, seen: (caller: Caller, id: number) => Promise<Account>) {
  const store = async (
    caller: Caller,
    find: (tx: Executor) => Promise<Account>,
    { id, version, change, changes }: Setting,
  ) => {
    await db.transaction().execute(async (tx) => {
      const before = await find(tx)
      if (!(await updateSettings(tx, id, version, change))) throw new AppError('VERSION_CONFLICT')
      await note(tx, caller, 'update', before, changes(before))
    })
    return seen(caller, id)
  }
  const bounded = (caller: Caller, id: number) => async (tx: Executor) => {
    const account = await managedAccount(tx, caller, id)
    // Administrators cannot lift a limit set by the account above.
    if (!account.limitsEditable) throw new AppError('NO_PERMISSION', { subject: 'all', action: 'manage' })
    return account
  }

  return {
    setRetention: os.tenant.setRetention.handler(({ input: { id, version, months }, context: { caller } }) =>
      store(caller, (tx) => accountFor(tx, caller, id, caller.scopeIds('super.system', 'manage')), {
        id,
        version,
        change: { retention_months: months },
        changes: (before) => ({ retentionMonths: [before.ownRetentionMonths, months] }),
      }),
    ),
    setPasswordPolicy: os.tenant.setPasswordPolicy.handler(
      ({ input: { id, version, policy }, context: { caller } }) =>
        store(caller, (tx) => managedAccount(tx, caller, id), {
          id,
          version,
          change: { password_policy: policy },
          changes: (before) => ({ passwordPolicy: [before.passwordPolicy, policy] }),
        }),
    ),
    setCsvExportLimit: os.tenant.setCsvExportLimit.handler(
      ({ input: { id, version, rows }, context: { caller } }) =>
        store(caller, bounded(caller, id), {
          id,
          version,
          change: { csv_export_limit: rows },
          changes: (before) => ({ csvExportLimit: [before.limits.csvExport.own, rows] }),
        }),
    ),
    setBulkLimit: os.tenant.setBulkLimit.handler(({ input: { id, version, devices }, context: { caller } }) =>
      store(caller, bounded(caller, id), {
        id,
        version,
        change: { bulk_limit: devices },
        changes: (before) => ({ bulkLimit: [before.limits.bulk.own, devices] }),
      }),
    ),
    setFileLimit: os.tenant.setFileLimit.handler(
      ({ input: { id, version, megabytes }, context: { caller } }) =>
        store(caller, bounded(caller, id), {
          id,
          version,
          change: { file_megabytes: megabytes },
          changes: (before) => ({ fileLimit: [before.limits.files.own, megabytes] }),
        }),
    ),
    setTemplateLimits: os.tenant.setTemplateLimits.handler(
      ({ input: { id, version, devices, templates }, context: { caller } }) =>
        store(caller, bounded(caller, id), {
          id,
          version,
          change: {
            ...(devices === undefined ? {} : { device_limit: devices }),
            ...(templates === undefined ? {} : { template_limit: templates }),
          },
          changes: ({ limits }) => ({
            ...(devices === undefined ? {} : { deviceLimit: [limits.devices.own, devices] }),
            ...(templates === undefined ? {} : { templateLimit: [limits.templates.own, templates] }),
          }),
        }),
    ),
  }
}
