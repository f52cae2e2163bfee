import type { Context } from '../../../platform/context.ts'
import { violatedUnique } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { Turns } from '../../../platform/turns.ts'
import { scopesSeen } from '../../rights/index.ts'
import { loginName } from '../loginName.ts'
import { takenNames } from './store.ts'

/**
 * Limits conflicts with names of users the caller does not see. Names are unique in the whole installation,
 * so each refused name reveals that it exists.
 */
export const hiddenConflicts = { burst: 20, perSecond: 1 / 180 }

/** Keeps callers who save users from probing which other users exist. */
export class Probing {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'log'>
  readonly #turns = new Turns<string>(hiddenConflicts)

  constructor(ctx: Pick<Context, 'db' | 'clock' | 'log'>) {
    this.#ctx = ctx
  }

  /**
   * Saves a user; a new one has no id. A conflict with a user the caller sees names the field; a conflict
   * with another user does not, and is rate-limited.
   * @throws AppError USER_DUPLICATE, TOO_MANY_REQUESTS before the attempt, and what `save` throws
   */
  async guard<T>(
    caller: Caller,
    wanted: { id?: number; username: string; email: string },
    save: () => Promise<T>,
  ): Promise<T> {
    const { db, clock, log } = this.#ctx
    const key = caller.userId === null ? `${caller.accountId}:${caller.name}` : String(caller.userId)
    // Taken before the attempt, so that concurrent requests cannot exceed the limit.
    if (!this.#turns.take(key, clock.now().getTime())) throw new AppError('TOO_MANY_REQUESTS')
    try {
      const saved = await save()
      this.#turns.giveBack(key, clock.now().getTime())
      return saved
    } catch (error) {
      const index = violatedUnique(error)
      const [email, name] = [loginName(wanted.email), loginName(wanted.username)]
      const seen =
        index === undefined ? null : await takenNames(db, [email, name], scopesSeen(caller), wanted.id)
      if (seen === null || seen.size > 0) this.#turns.giveBack(key, clock.now().getTime())
      if (seen === null) throw error
      if (seen.size > 0)
        throw new AppError('USER_DUPLICATE', { field: seen.has(email) ? 'email' : 'username' })
      log.warn(
        { userId: caller.userId, name: caller.name, ip: caller.ip },
        'a name of a hidden user was asked for',
      )
      throw new AppError('USER_DUPLICATE')
    }
  }
}
