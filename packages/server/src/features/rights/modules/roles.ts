import { modules } from '@leitstand/contract/modules'
import type { ModuleKey, RoleRule } from '@leitstand/contract/permissions'
import type { RoleKey } from '@leitstand/contract/roles'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { moduleStates, readSwitches } from '../../accounts/index.ts'
import { recordActivity } from '../../activity/index.ts'
import { requireHeld, rightsGained } from '../roles/guard.ts'
import { findModuleRole, insertModuleRole, readModuleRoles } from './store.ts'

const moduleRoles: Readonly<Record<ModuleKey, RoleKey>> = {
  facility: 'facilityUser',
  warnapp: 'warningViewer',
  assets: 'assetViewer',
  dashboards: 'dashboardViewer',
  publicDashboard: 'publicSharer',
  classicHub: 'dataHubViewer',
}

/** Roles an account gives to new users along with modules. */
export async function rolesOfNewUsers(db: Executor, accountId: number): Promise<number[]> {
  const given = moduleStates(await readSwitches(db, accountId)).filter(
    ({ effectiveToNewUsers }) => effectiveToNewUsers,
  )
  return readModuleRoles(
    db,
    given.map(({ module }) => module),
  )
}

/** Ensures the role exists and that the caller holds all it grants. @throws AppError NO_PERMISSION */
export async function prepareModuleRole(
  tx: Executor,
  caller: Caller,
  module: ModuleKey,
  scopeId: number,
): Promise<void> {
  const rules: readonly RoleRule[] = modules[module].newUsers
  requireHeld(await rightsGained(tx, [], [{ scopeId, isMain: false, rules }], caller))
  if (await findModuleRole(tx, module)) return
  const role = await insertModuleRole(tx, module, moduleRoles[module])
  if (!role) return
  const about = {
    action: 'create',
    subject: 'Role',
    objectId: role.id,
    objectTitle: role.name,
    accountId: null,
  }
  await recordActivity(tx, caller, { ...about, changes: { rules } })
}
