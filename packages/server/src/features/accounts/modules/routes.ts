import type { AccountModule } from '@leitstand/contract'
import { modules } from '@leitstand/contract/modules'
import { type ModuleKey, moduleKeys } from '@leitstand/contract/permissions'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { recordActivity } from '../../activity/index.ts'
import { requireAccount } from '../account.ts'
import type { AccountHooks } from '../hooks.ts'
import { readSwitches, saveSwitch } from './store.ts'
import { type ModuleState, mayTurnOn, moduleStates, type SwitchingAccount } from './switches.ts'

export const moduleRuleRoutes = {
  rules: os.module.rules.handler(() => ({
    items: moduleKeys.map((module) => {
      const { subjects, newUsers, restricted } = modules[module]
      return { module, subjects: [...subjects], newUsers: newUsers.map((line) => ({ ...line })), restricted }
    }),
  })),
}

export function moduleRoutes({ db, clock }: Context, { moduleRoles }: AccountHooks) {
  const listed = async (tx: Executor, caller: Caller, accountId: number): Promise<AccountModule[]> => {
    const path = await readSwitches(tx, accountId)
    const users = await moduleRoles.countUsers(tx, accountId)
    return moduleStates(path).map((state) => shown(caller, path, state, users.get(state.module) ?? 0))
  }
  return {
    list: os.module.list.handler(async ({ input: { accountId }, context: { caller } }) => {
      await managed(db, caller, accountId)
      return { items: await listed(db, caller, accountId) }
    }),
    set: os.module.set.handler(async ({ input, context: { caller } }) => {
      const { accountId, module, version, enabled, toNewUsers } = input
      await db.transaction().execute(async (tx) => {
        const account = await managed(tx, caller, accountId)
        const path = await readSwitches(tx, accountId)
        const before = moduleStates(path).find((state) => state.module === module)
        if (!before) throw new AppError('NOT_FOUND', { module })
        if (!maySwitch(caller, path, module))
          throw new AppError('NO_PERMISSION', { subject: 'super.system', action: 'manage' })
        const above = isAbove(caller, path)
        if (enabled && !before.enabled && !mayTurnOn(before, above)) throw new AppError('MODULE_OFF_ABOVE')
        if (toNewUsers) await moduleRoles.prepare(tx, caller, module, account.scopeId)
        const fromAbove = !enabled && (above || before.fromAbove)
        const said = { enabled, fromAbove, toNewUsers }
        if (!(await saveSwitch(tx, accountId, module, version, said, clock.now())))
          throw new AppError('VERSION_CONFLICT')
        await recordActivity(tx, caller, {
          action: 'update',
          subject: 'Module',
          objectId: accountId,
          objectTitle: account.name,
          accountId,
          changes: {
            module,
            ...(before.enabled === enabled ? {} : { enabled: [before.enabled, enabled] }),
            ...(before.toNewUsers === toNewUsers ? {} : { toNewUsers: [before.toNewUsers, toNewUsers] }),
          },
        })
      })
      const after = (await listed(db, caller, accountId)).find((one) => one.module === module)
      if (!after) throw new AppError('NOT_FOUND', { module })
      return after
    }),
  }
}

/** @throws AppError TENANT_NOT_FOUND */
async function managed(db: Executor, caller: Caller, id: number) {
  return requireAccount(db, id, caller.scopeIds('all', 'manage'))
}

function maySwitch(caller: Caller, path: readonly SwitchingAccount[], module: ModuleKey): boolean {
  return !modules[module].restricted || isSystem(caller, path)
}

function isSystem(caller: Caller, path: readonly SwitchingAccount[]): boolean {
  const own = path[0]
  return own !== undefined && caller.scopeIds('super.system', 'manage').includes(own.scopeId)
}

/** Whether the caller administers the account above, or the installation. */
function isAbove(caller: Caller, path: readonly SwitchingAccount[]): boolean {
  const parent = path[1]
  if (isSystem(caller, path)) return true
  return parent !== undefined && caller.scopeIds('all', 'manage').includes(parent.scopeId)
}

function shown(
  caller: Caller,
  path: readonly SwitchingAccount[],
  state: ModuleState,
  users: number,
): AccountModule {
  const { module, enabled, effective, offAt, toNewUsers, effectiveToNewUsers, version } = state
  const heldOff = offAt !== null || (!enabled && !mayTurnOn(state, isAbove(caller, path)))
  const seen = offAt !== null && caller.scopeIds('all', 'manage').includes(offAt.scopeId)
  return {
    module,
    enabled,
    effective,
    toNewUsers,
    effectiveToNewUsers,
    users,
    version,
    offAbove: heldOff ? { name: seen ? offAt.name : '' } : null,
    editable: maySwitch(caller, path, module),
  }
}
