import * as z from 'zod'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import { recordActivity } from '../../activity/index.ts'
import { message } from '../output.ts'
import { type Run, repairing } from '../types.ts'

// What is recorded are names only: a user name or an email, nothing else fits.
const user = { name: 'user', schema: z.string().regex(/^[\p{L}\p{N}@._+-]{1,200}$/u) }

async function required({ people }: Pick<Run, 'people'>, db: Executor, login: string) {
  const found = await people.revoking.find(db, login)
  if (found === undefined) throw new AppError('USER_NOT_FOUND')
  return found
}

/** Ends all sessions of a user: they have to sign in again everywhere. */
export const revokeSessions = repairing(user, {
  preview: async (run, login) => {
    const { username, sessions } = await required(run, run.ctx.db, login)
    return [message('wouldRevoke', { user: username, count: sessions })]
  },
  work: async (run, login) => {
    const { ctx, caller, people } = run
    const { id, username, accountId } = await required(run, ctx.db, login)
    const count = await ctx.db.transaction().execute(async (tx) => {
      const ended = await people.revoking.end(tx, id)
      await recordActivity(tx, caller, {
        action: 'endSession',
        subject: 'User',
        objectId: id,
        objectTitle: username,
        accountId,
        changes: { ended },
        isChange: false,
      })
      return ended
    })
    people.revoking.ended(id)
    return [message('revoked', { user: username, count })]
  },
})
