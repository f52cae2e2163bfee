import type { Account, AccountBounds } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { accountFor, managedAccount, note, type StoredAccount } from './account.ts'
import { boundChanges, columnsOf, demandBounds } from './bounds.ts'
import { updateSettings } from './store.ts'

interface Target {
  id: number
  version: number
}

/** Single settings of an account, for clients that change only one; `update` takes them all. */
export function settingRoutes({ db }: Context, seen: (caller: Caller, id: number) => Promise<Account>) {
  const store = async (
    caller: Caller,
    find: (tx: Executor) => Promise<StoredAccount>,
    { id, version }: Target,
    wanted: AccountBounds,
  ) => {
    await db.transaction().execute(async (tx) => {
      const before = await find(tx)
      demandBounds(caller, before, wanted)
      if (!(await updateSettings(tx, id, version, columnsOf(wanted)))) throw new AppError('VERSION_CONFLICT')
      await note(tx, caller, 'update', before, boundChanges(before, wanted))
    })
    return seen(caller, id)
  }
  const limit = (caller: Caller, target: Target, wanted: AccountBounds) =>
    store(caller, (tx) => managedAccount(tx, caller, target.id), target, wanted)

  return {
    setRetention: os.tenant.setRetention.handler(({ input: { months, ...target }, context: { caller } }) => {
      const find = (tx: Executor) =>
        accountFor(tx, caller, target.id, caller.scopeIds('super.system', 'manage'))
      return store(caller, find, target, { retentionMonths: months })
    }),
    setPasswordPolicy: os.tenant.setPasswordPolicy.handler(
      async ({ input: { id, version, policy }, context: { caller } }) => {
        await db.transaction().execute(async (tx) => {
          const before = await managedAccount(tx, caller, id)
          if (!(await updateSettings(tx, id, version, { password_policy: policy })))
            throw new AppError('VERSION_CONFLICT')
          await note(tx, caller, 'update', before, { passwordPolicy: [before.passwordPolicy, policy] })
        })
        return seen(caller, id)
      },
    ),
    setCsvExportLimit: os.tenant.setCsvExportLimit.handler(
      ({ input: { rows, ...target }, context: { caller } }) => limit(caller, target, { csvRows: rows }),
    ),
    setBulkLimit: os.tenant.setBulkLimit.handler(({ input: { devices, ...target }, context: { caller } }) =>
      limit(caller, target, { bulkDevices: devices }),
    ),
    setFileLimit: os.tenant.setFileLimit.handler(({ input: { megabytes, ...target }, context: { caller } }) =>
      limit(caller, target, { fileMegabytes: megabytes }),
    ),
    setTemplateLimits: os.tenant.setTemplateLimits.handler(
      ({ input: { devices, templates, ...target }, context: { caller } }) =>
        limit(caller, target, { devices, templates }),
    ),
  }
}
