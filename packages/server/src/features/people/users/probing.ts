import type { Context } from '../../../platform/context.ts'
import { violatedUnique } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { Turns } from '../../../platform/turns.ts'
import { scopesSeen } from '../../rights/index.ts'
import { loginName } from '../loginName.ts'
import { takenNames } from './store.ts'

/**
 * Names of users the caller does not see that somebody may run into: names hold for the whole installation, so saving
 * must refuse them, and each refusal tells that somebody has the name.
 */
export const hiddenConflicts = { burst: 20, perSecond: 1 / 180 }

/** Keeps those who save users from finding out with that who else is here. */
export class Probing {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'log'>
  readonly #turns = new Turns<string>(hiddenConflicts)

  constructor(ctx: Pick<Context, 'db' | 'clock' | 'log'>) {
    this.#ctx = ctx
  }

  /**
   * Saves a user, who has an id unless he is new. A name taken by somebody the caller sees is answered with its field; one taken by somebody else without,
   * so often and no oftener.
   * @throws AppError USER_DUPLICATE, TOO_MANY_REQUESTS before anything is tried, and what `save` throws
   */
  async guard<T>(
    caller: Caller,
    wanted: { id?: number; username: string; email: string },
    save: () => Promise<T>,
  ): Promise<T> {
    const { db, clock, log } = this.#ctx
    const key = caller.userId === null ? `${caller.accountId}:${caller.name}` : String(caller.userId)
    // Taken before it is tried: many at once must not learn more than one after the other.
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
