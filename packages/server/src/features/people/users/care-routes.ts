import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { ownSelf } from '../person.ts'
import { endOtherSessions, endSession, listSessions } from '../sessions/store.ts'
import type { Sessions } from '../sessions.ts'
import { liftLocks } from '../store/attempts.ts'
import type { SecondFactor } from '../twofactor/factor.ts'
import { moveUser, previewMove } from './move.ts'
import { findManaged, noteUser, type Users } from './users.ts'

interface Parts {
  sessions: Sessions
  factor: SecondFactor
  passwords: Passwords
  users: Users
}

/** Help for users who cannot sign in, and moving them to another account. */
export function careRoutes(ctx: Context, { sessions, factor, passwords, users }: Parts) {
  const { db, clock } = ctx
  return {
    unlock: os.user.unlock.handler(async ({ input: { id }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        const user = await findManaged(tx, caller, id)
        await liftLocks(tx, id)
        await noteUser(tx, caller, 'unlock', user, {})
      })
      return { ok: true as const }
    }),
    sendResetLink: os.user.sendResetLink.handler(async ({ input: { id }, context: { caller } }) => {
      ownSelf(caller)
      await db.transaction().execute(async (tx) => {
        const user = await findManaged(tx, caller, id)
        if (!user.active) throw new AppError('AUTH_USER_DEACTIVATED')
        if (user.invited) throw new AppError('USER_WITHOUT_PASSWORD')
        const { account_id: accountId, email, properties } = user
        await passwords.sendLinkTo(tx, { id, accountId, email, properties })
        await noteUser(tx, caller, 'sendResetLink', user, { email })
      })
      return { ok: true as const }
    }),
    listSessions: os.user.listSessions.handler(async ({ input, context: { caller } }) => {
      const { sessionId } = ownSelf(caller)
      await findManaged(db, caller, input.id, false)
      const page = await listSessions(db, input.id, sessionId, clock.now(), input)
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    endSession: os.user.endSession.handler(async ({ input, context: { caller } }) => {
      ownSelf(caller)
      await db.transaction().execute(async (tx) => {
        const user = await findManaged(tx, caller, input.id)
        if (!(await endSession(tx, input.id, input.sessionId))) throw new AppError('SESSION_NOT_FOUND')
        await noteUser(tx, caller, 'endSession', user, {})
      })
      sessions.forgetUsers([input.id])
      return { ok: true as const }
    }),
    endSessions: os.user.endSessions.handler(async ({ input: { id }, context: { caller } }) => {
      const { userId, sessionId } = ownSelf(caller)
      const ended = await db.transaction().execute(async (tx) => {
        const user = await findManaged(tx, caller, id)
        const count = await endOtherSessions(tx, id, id === userId ? sessionId : null)
        await noteUser(tx, caller, 'endSession', user, { ended: count })
        return count
      })
      sessions.forgetUsers([id])
      return { ended }
    }),
    previewMove: os.user.previewMove.handler(({ input, context: { caller } }) =>
      previewMove(ctx, factor, caller, input),
    ),
    move: os.user.move.handler(async ({ input, context: { caller } }) => {
      await moveUser(ctx, caller, input)
      return users.get(caller, input.id)
    }),
  }
}
