import type { Context } from '../../platform/context.ts'
import { StartError } from '../../platform/errors.ts'
import { system } from '../../platform/http/caller.ts'
import { anyAccount, insertAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { accountScopes, firstRoles, insertAccess, insertRole } from '../rights/index.ts'
import { hashPassword, makePassword } from './password.ts'
import { leastPolicy, passwordFault } from './passwords/policy.ts'
import { deleteSessionsOf, findSuperAdmin, insertUser, setPassword } from './store/users.ts'
import { deleteFactor } from './twofactor/store.ts'

/**
 * Credentials of the administrator; `password` only if it was just generated, since it is shown only once.
 */
export interface FirstSignIn {
  username: string
  password: string | null
}

const rootAccountName = 'Leitstand'
const rootTimeZone = 'Europe/Berlin'

/**
 * Gives an empty database its root account, the first roles and an administrator.
 * @returns how to sign in; null when the database already had accounts
 * @throws StartError for a password that is easy to guess
 */
export async function prepareFirstStart(ctx: Pick<Context, 'db' | 'config'>): Promise<FirstSignIn | null> {
  const { db, config } = ctx
  if (await anyAccount(db)) return null
  const password = adminPassword(config.adminPassword, [config.adminEmail, rootAccountName])
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    const root = {
      parentId: null,
      parentScopeId: null,
      name: rootAccountName,
      description: '',
      timeZone: rootTimeZone,
    }
    const account = await insertAccount(tx, root, accountScopes)
    const user = {
      accountId: account.id,
      username: config.adminEmail,
      email: config.adminEmail,
      passwordHash,
    }
    const userId = await insertUser(tx, user)
    for (const role of firstRoles) {
      const roleId = await insertRole(tx, role)
      if (role.isSuper) await insertAccess(tx, { userId, scopeId: account.scopeId, roleId, isMain: true })
    }
    await recordActivity(tx, system('first start'), {
      action: 'create',
      subject: 'User',
      objectId: userId,
      objectTitle: config.adminEmail,
      accountId: account.id,
    })
  })
  return { username: config.adminEmail, password: config.adminPassword === undefined ? password : null }
}

/**
 * Gives the system administrator a new password, ends all their sessions and lifts a lock.
 * @throws StartError when there is no system administrator, or for a password that is easy to guess
 */
export async function resetAdmin(ctx: Pick<Context, 'db' | 'config'>): Promise<FirstSignIn> {
  const { db, config } = ctx
  const admin = await findSuperAdmin(db)
  if (!admin) throw new StartError('There is no system administrator whose password could be reset.')
  const password = adminPassword(config.adminPassword, [admin.username, admin.email, rootAccountName])
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    await setPassword(tx, admin.id, passwordHash)
    await deleteSessionsOf(tx, admin.id)
    await deleteFactor(tx, admin.id)
    await recordActivity(tx, system('reset-admin'), {
      action: 'update',
      subject: 'User',
      objectId: admin.id,
      objectTitle: admin.username,
      accountId: null,
      changes: { password: 'reset' },
    })
  })
  return { username: admin.username, password: config.adminPassword === undefined ? password : null }
}

/**
 * The password the operator configured, or a generated one.
 * @throws StartError for one that is easy to guess
 */
function adminPassword(named: string | undefined, own: readonly string[]): string {
  if (named === undefined) return makePassword()
  if (passwordFault(named, leastPolicy, own) !== null)
    throw new StartError(
      'ADMIN_PASSWORD is a password that is tried first, or made of the name of the administrator. Choose another one.',
    )
  return named
}
