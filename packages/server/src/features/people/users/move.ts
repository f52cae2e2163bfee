import { type AccessEntry, moveRolesShownMax, type NamedAccess, type UserMove } from '@leitstand/contract'
import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAccount } from '../../accounts/index.ts'
import { changesBetween } from '../../activity/index.ts'
import {
  changeAccess,
  described,
  readAccess,
  readScopes,
  rolesUsableIn,
  scopesSeen,
} from '../../rights/index.ts'
import { needsConsent } from '../consent/consent.ts'
import { readTerms } from '../consent/store.ts'
import type { SecondFactor } from '../twofactor/factor.ts'
import { readDemand } from '../twofactor/store.ts'
import { defaultAccess, inChargeOfNew } from './newAccess.ts'
import { accountsOfIdentities, setAccountOf, type UserDetails } from './store.ts'
import { findManaged, noteUser } from './users.ts'

interface Wanted {
  id: number
  accountId: number
  roles: 'keep' | 'replace'
}

type Row = Awaited<ReturnType<typeof readAccess>>[number]

interface Plan {
  user: UserDetails
  from: { id: number; name: string }
  to: { id: number; name: string }
  kept: Row[]
  removed: Row[]
  given: AccessEntry[]
}

/**
 * Moves a user to another account.
 * @throws AppError USER_NOT_FOUND, TENANT_NOT_FOUND, USER_MAY_DO_MORE, USER_IN_ACCOUNT, VERSION_CONFLICT, and
 *   those of `changeAccess`
 */
export async function moveUser(
  { db }: Pick<Context, 'db'>,
  caller: Caller,
  wanted: Wanted & { version: number },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { user, from, to, kept, given } = await planOf(tx, caller, wanted, true)
    if (!(await setAccountOf(tx, user.id, wanted.version, to.id))) throw new AppError('VERSION_CONFLICT')
    const inCharge = inChargeOf(caller)
    const access = [
      // The main scope moves along.
      ...given,
      ...kept
        .filter(({ scopeId }) => inCharge.includes(scopeId))
        .map(({ scopeId, roleId, isMain }) => ({ scopeId, roleId, isMain: isMain && given.length === 0 })),
    ]
    const { before, after } = await changeAccess(tx, user.id, access, caller, inCharge)
    const about = { id: user.id, username: user.username, account_id: to.id }
    await noteUser(tx, caller, 'move', about, {
      account: [from.name, to.name],
      ...changesBetween({ access: described(before) }, { access: described(after) }),
    })
  })
}

/** What `moveUser` would change. @throws as `moveUser` */
export async function previewMove(
  { db }: Pick<Context, 'db'>,
  factor: SecondFactor,
  caller: Caller,
  wanted: Wanted,
): Promise<UserMove> {
  return db.transaction().execute(async (tx) => {
    const { user, from, to, kept, removed, given } = await planOf(tx, caller, wanted, false)
    const seen = new Set(scopesSeen(caller))
    const inSight = kept.filter(({ scopeId }) => seen.has(scopeId))
    const demand = await readDemand(tx, to.id)
    const demanded = demand !== undefined && (demand.required || demand.inherited)
    const line = new Set(await accountsAbove(tx, to.id))
    return {
      userId: user.id,
      from,
      to,
      kept: inSight.slice(0, moveRolesShownMax).map(toNamed),
      removed: removed.slice(0, moveRolesShownMax).map(toNamed),
      given: (await named(tx, to.id, given)).slice(0, moveRolesShownMax),
      elsewhere: kept.length - inSight.length,
      needsTwoFactor: demanded && !(await factor.isEnabled(user.id)),
      needsConsent: needsConsent(user.properties, await readTerms(tx, to.id)),
      signOns: (await accountsOfIdentities(tx, user.id)).filter((id) => !line.has(id)).length,
    }
  })
}

async function planOf(
  tx: Executor,
  caller: Caller,
  { id, accountId, roles }: Wanted,
  lock: boolean,
): Promise<Plan> {
  const user = await findManaged(tx, caller, id, lock)
  // A role in a scope of the caller is not enough: the user leaves the account.
  const from = await requireAccount(tx, user.account_id, caller.scopeIds('UserManagement', 'manage'))
  const to = await requireAccount(tx, accountId, caller.scopeIds('UserManagement', 'create'))
  if (from.id === to.id) throw new AppError('USER_IN_ACCOUNT')
  const access = await readAccess(tx, id)
  const inCharge = inChargeOf(caller)
  const leaves = ({ accountId: of, scopeId }: Row) =>
    roles === 'replace' && of === from.id && inCharge.includes(scopeId)
  const kept = access.filter((row) => !leaves(row))
  const held = new Set(kept.map(({ scopeId, roleId }) => `${scopeId}:${roleId}`))
  const defaults = roles === 'replace' ? await defaultAccess(tx, to, inChargeOfNew(caller)) : []
  const given = defaults
    .filter(({ scopeId, roleId }) => !held.has(`${scopeId}:${roleId}`))
    .map((entry, index) => ({ ...entry, isMain: index === 0 }))
  const name = ({ id: one, name: text }: { id: number; name: string }) => ({ id: one, name: text })
  return { user, from: name(from), to: name(to), kept, removed: access.filter(leaves), given }
}

/** Scopes in which the caller gives and takes roles of a user who moves. */
function inChargeOf(caller: Caller): number[] {
  return [...new Set(inChargeOfNew(caller))]
}

async function accountsAbove(db: Executor, accountId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from ${accountsUp(accountId)} up`.execute(db)
  return rows.map(({ id }) => id)
}

function toNamed({ scopeId, roleId, isMain, scopeName, roleName, roleKey }: Row): NamedAccess {
  return { scopeId, roleId, isMain, scopeName, role: { name: roleName, key: roleKey } }
}

/** Roles with their names; the scopes are those of the account. */
async function named(
  db: Executor,
  accountId: number,
  access: readonly AccessEntry[],
): Promise<NamedAccess[]> {
  const roles = await rolesUsableIn(
    db,
    accountId,
    access.map(({ roleId }) => roleId),
  )
  const scopes = await readScopes(
    db,
    access.map(({ scopeId }) => scopeId),
  )
  return access.flatMap((entry) => {
    const role = roles.find(({ id }) => id === entry.roleId)
    const scope = scopes.find(({ id }) => id === entry.scopeId)
    return role && scope
      ? [{ ...entry, scopeName: scope.name, role: { name: role.name, key: role.key } }]
      : []
  })
}
