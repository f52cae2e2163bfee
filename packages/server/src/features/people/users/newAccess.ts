import type { AccessEntry, NewUserRow, RowFault } from '@leitstand/contract'
import type { Db, Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { readDefaultRolesOfAccount, requireGrantable, rolesOfNewUsers } from '../../rights/index.ts'

/** The scopes in which the caller gives roles to new users. */
export function inChargeOfNew(caller: Caller): number[] {
  return [...caller.scopeIds('UserManagement', 'create'), ...caller.scopeIds('UserManagement', 'manage')]
}

/**
 * The roles of a new user: the default roles of the account, on its own scope and on those of its twins, and
 * those of the modules it gives to new users. The first one is on the main scope.
 * @param inCharge roles on other scopes are left out
 */
export async function defaultAccess(
  db: Executor,
  { id, scopeId }: { id: number; scopeId: number },
  inCharge: readonly number[],
): Promise<AccessEntry[]> {
  const ofModules = (await rolesOfNewUsers(db, id)).map((roleId) => ({ scopeId, roleId }))
  const defaults = await readDefaultRolesOfAccount(db, id)
  const allowed = new Set(inCharge)
  const wanted = [
    ...defaults.filter((one) => one.scopeId === scopeId),
    ...ofModules,
    ...defaults.filter((one) => one.scopeId !== scopeId),
  ].filter((one) => allowed.has(one.scopeId))
  const unique = new Map(wanted.map((one) => [`${one.scopeId}:${one.roleId}`, one]))
  return [...unique.values()].map((one, index) => ({
    scopeId: one.scopeId,
    roleId: one.roleId,
    isMain: index === 0,
  }))
}

/** The rows with roles that the caller cannot give, with the error. Rows with the same roles are checked once. */
export async function accessFaults(db: Db, caller: Caller, rows: readonly NewUserRow[]): Promise<RowFault[]> {
  const byAccess = Map.groupBy(
    rows.flatMap(({ access, email }, row) => (access ? [{ row, email, access }] : [])),
    ({ access }) => JSON.stringify(access),
  )
  const faults: RowFault[] = []
  for (const group of byAccess.values()) {
    const code = await whyNotGrantable(db, caller, group[0]?.access ?? [])
    if (code !== null) faults.push(...group.map(({ row, email }) => ({ row, email, code, field: 'access' })))
  }
  return faults
}

async function whyNotGrantable(
  db: Db,
  caller: Caller,
  access: readonly AccessEntry[],
): Promise<RowFault['code'] | null> {
  try {
    await db.transaction().execute((tx) => requireGrantable(tx, access, caller, inChargeOfNew(caller)))
    return null
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}
