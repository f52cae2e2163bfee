import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os, type RequestContext } from '../../../platform/http/implement.ts'
import { findAccount } from '../../accounts/index.ts'
import { recordActivity } from '../../activity/index.ts'
import { readGrants, requireHeld, rightsGained } from '../../rights/index.ts'
import { toSessionAccess, toSessionUser } from '../login.ts'
import { ownSelf, userIdOf } from '../person.ts'
import { aboutUser } from '../sessions/about.ts'
import { endSession } from '../sessions/store.ts'
import type { Sessions } from '../sessions.ts'
import { readUser, type UserRow } from '../store/users.ts'

export function impersonationRoutes({ db }: Context, sessions: Sessions) {
  /** @throws AppError USER_NOT_FOUND for users of accounts where the caller may not impersonate */
  const targetOf = async (caller: Caller, id: number): Promise<UserRow> => {
    const user = await readUser(db, id)
    const scopeIds = caller.scopeIds('UserManagement', 'impersonate')
    if (!user || !(await findAccount(db, user.account_id, scopeIds)))
      throw new AppError('USER_NOT_FOUND', { id })
    if (!user.active) throw new AppError('AUTH_USER_DEACTIVATED')
    const grants = await readGrants(db, id)
    if (grants.length === 0) throw new AppError('AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE')
    requireHeld(await rightsGained(db, [], grants, caller))
    return user
  }
  const begin = async (context: RequestContext, id: number, action: 'impersonate' | 'look') => {
    const { caller, credentials, ip, userAgent } = context
    const { userId, sessionId } = ownSelf(caller)
    if (credentials.token === null) throw new AppError('AUTH_TOKEN_NOT_FOUND')
    if (id === userId) throw new AppError('VALIDATION_ERROR', undefined, 'This is yourself')
    const user = await targetOf(caller, id)
    const readOnly = action === 'look'
    const { token, expiresAt } = await db.transaction().execute(async (tx) => {
      await recordActivity(tx, caller, { action, ...(await aboutUser(tx, user.id)), isChange: false })
      return sessions.begin(tx, { userId: user.id, ip, userAgent, originalId: sessionId, readOnly })
    })
    const access = toSessionAccess(await sessions.rightsOf(user.id))
    return { user: toSessionUser(user), access, token, originalToken: credentials.token, expiresAt }
  }
  return {
    impersonate: os.auth.impersonate.handler(async ({ input, context }) => {
      const { expiresAt: _until, ...begun } = await begin(context, input.userId, 'impersonate')
      return begun
    }),
    look: os.auth.look.handler(async ({ input, context }) => {
      const { expiresAt, ...begun } = await begin(context, input.userId, 'look')
      return { ...begun, expiresAt: expiresAt.toISOString() }
    }),
    restore: os.auth.restore.handler(async ({ input, context }) => {
      const { caller, credentials } = context
      const [userId, sessionId] = [userIdOf(caller), caller.sessionId]
      if (!caller.impersonator || sessionId === undefined || credentials.token === null)
        throw new AppError('AUTH_NOT_IMPERSONATING')
      const originalId = await sessions.originalOf(credentials.token)
      const token = input.originalToken ?? credentials.cookieToken
      const original = token === null ? null : await sessions.callerOf(token, caller.ip)
      const user = original?.userId == null ? undefined : await readUser(db, original.userId)
      // Only the original session is accepted: an impersonated session alone must not lead back to it.
      if (!token || !user || original?.sessionId !== originalId) throw new AppError('AUTH_TOKEN_NOT_FOUND')
      await db.transaction().execute(async (tx) => {
        await endSession(tx, userId, sessionId)
        await recordActivity(tx, caller, {
          action: caller.looking ? 'endLook' : 'restore',
          ...(await aboutUser(tx, userId)),
          isChange: false,
        })
      })
      sessions.forgetUsers([userId])
      const rights = await sessions.rightsOf(user.id)
      return { user: toSessionUser(user), access: toSessionAccess(rights), token }
    }),
  }
}
