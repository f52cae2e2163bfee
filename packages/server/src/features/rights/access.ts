import type { AccessEntry } from '@leitstand/contract'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Holder } from './rights.ts'
import { requireHeld, rightsGained } from './roles/guard.ts'
import { rolesUsableIn } from './roles/store.ts'
import { type AccessRow, anySuperAdmin, readAccess, replaceAccess } from './store/access.ts'
import { readScopes } from './store/scopes.ts'

/**
 * Replaces a user's roles in the scopes the caller manages; roles elsewhere are kept.
 * @param inCharge scopes in which the caller may change who has what
 * @returns the access before and after, for the activity log
 * @throws AppError NO_PERMISSION when the user gains rights the caller lacks, USER_MAY_DO_MORE when the user
 *   loses rights the caller lacks, SCOPE_NOT_FOUND, ABAC_ROLE_NOT_FOUND, ABAC_USERACCESS_DUPLICATE_ENTRY,
 *   VALIDATION_ERROR for more than one main scope, USER_LAST_ADMIN
 */
export async function changeAccess(
  tx: Executor,
  userId: number,
  wanted: readonly AccessEntry[],
  caller: Holder,
  inCharge: readonly number[],
): Promise<{ before: AccessRow[]; after: AccessRow[] }> {
  const given = await givenRows(tx, wanted, inCharge)
  const mine = new Set(inCharge)
  const before = await readAccess(tx, userId)
  const elsewhere = before.filter(({ scopeId }) => !mine.has(scopeId))
  const main = given.find(({ isMain }) => isMain)
  const after = withOneMain(
    main ? [...elsewhere.map((row) => ({ ...row, isMain: false })), ...given] : [...elsewhere, ...given],
  )
  requireHeld(await rightsGained(tx, before, after, caller))
  // Conversely, callers cannot remove rights they lack, such as an administrator's role.
  const lost = await rightsGained(tx, after, before, caller)
  if (lost) throw new AppError('USER_MAY_DO_MORE', { ...lost })
  await replaceAccess(tx, userId, after)
  await requireSuperAdmin(tx)
  return { before, after }
}

/**
 * Whether a new user could get these roles, without giving them.
 * @throws AppError as `changeAccess`
 */
export async function requireGrantable(
  tx: Executor,
  wanted: readonly AccessEntry[],
  caller: Holder,
  inCharge: readonly number[],
): Promise<void> {
  requireHeld(await rightsGained(tx, [], await givenRows(tx, wanted, inCharge), caller))
}

async function givenRows(
  tx: Executor,
  wanted: readonly AccessEntry[],
  inCharge: readonly number[],
): Promise<AccessRow[]> {
  requireSound(wanted)
  const mine = new Set(inCharge)
  const foreign = wanted.find(({ scopeId }) => !mine.has(scopeId))
  if (foreign) throw new AppError('SCOPE_NOT_FOUND', { id: foreign.scopeId })
  return rowsOf(tx, wanted)
}

/** @throws AppError USER_LAST_ADMIN when no active user administers the installation */
export async function requireSuperAdmin(tx: Executor): Promise<void> {
  if (!(await anySuperAdmin(tx))) throw new AppError('USER_LAST_ADMIN')
}

/** Entries as the activity log shows them. */
export function described(access: readonly AccessRow[]) {
  return access.map(({ scopeName, roleName, roleKey, isMain }) => ({
    role: { name: roleName, key: roleKey },
    scope: scopeName,
    isMain,
  }))
}

function requireSound(wanted: readonly AccessEntry[]): void {
  const keys = new Set(wanted.map(({ scopeId, roleId }) => `${scopeId}:${roleId}`))
  if (keys.size < wanted.length) throw new AppError('ABAC_USERACCESS_DUPLICATE_ENTRY')
  if (wanted.filter(({ isMain }) => isMain).length > 1)
    throw new AppError('VALIDATION_ERROR', { field: 'access' }, 'There is one main scope')
}

/** Users with any role need a main scope. */
function withOneMain(access: readonly AccessRow[]): AccessRow[] {
  if (access.some(({ isMain }) => isMain)) return [...access]
  return access.map((row, index) => ({ ...row, isMain: index === 0 }))
}

async function rowsOf(tx: Executor, wanted: readonly AccessEntry[]): Promise<AccessRow[]> {
  const scopes = new Map(
    (
      await readScopes(
        tx,
        wanted.map(({ scopeId }) => scopeId),
      )
    ).map((row) => [row.id, row]),
  )
  const usable = new Map<number, Awaited<ReturnType<typeof rolesUsableIn>>>()
  const roleIds = [...new Set(wanted.map(({ roleId }) => roleId))]
  const rows: AccessRow[] = []
  for (const { scopeId, roleId, isMain } of wanted) {
    const scope = scopes.get(scopeId)
    if (!scope) throw new AppError('SCOPE_NOT_FOUND', { id: scopeId })
    const { accountId, name: scopeName } = scope
    const roles = usable.get(accountId) ?? (await rolesUsableIn(tx, accountId, roleIds))
    usable.set(accountId, roles)
    const role = roles.find(({ id }) => id === roleId)
    if (!role) throw new AppError('ABAC_ROLE_NOT_FOUND', { id: roleId })
    const { name: roleName, key: roleKey, rules } = role
    rows.push({ scopeId, scopeName, accountId, roleId, roleName, roleKey, rules, isMain })
  }
  return rows
}
