import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import { recordActivity } from '../../activity/index.ts'
import { ownSelf } from '../person.ts'
import type { Sessions } from '../sessions.ts'
import { aboutUser } from './about.ts'
import { endOtherSessions, endSession, listSessions } from './store.ts'

export function sessionRoutes({ db, clock }: Context, sessions: Sessions) {
  return {
    list: os.session.list.handler(async ({ input, context: { caller } }) => {
      const { userId, sessionId } = ownSelf(caller)
      const page = await listSessions(db, userId, sessionId, clock.now(), input)
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    end: os.session.end.handler(async ({ input, context: { caller } }) => {
      const { userId } = ownSelf(caller)
      await db.transaction().execute(async (tx) => {
        if (!(await endSession(tx, userId, input.id))) throw new AppError('SESSION_NOT_FOUND')
        await recordActivity(tx, caller, {
          action: 'endSession',
          ...(await aboutUser(tx, userId)),
          isChange: false,
        })
      })
      sessions.forgetUsers([userId])
      return { ok: true as const }
    }),
    endOthers: os.session.endOthers.handler(async ({ context: { caller } }) => {
      const { userId, sessionId } = ownSelf(caller)
      const ended = await db.transaction().execute(async (tx) => {
        const count = await endOtherSessions(tx, userId, sessionId)
        const about = await aboutUser(tx, userId)
        await recordActivity(tx, caller, {
          action: 'endSession',
          ...about,
          changes: { ended: count },
          isChange: false,
        })
        return count
      })
      sessions.forgetUsers([userId])
      return { ended }
    }),
  }
}
