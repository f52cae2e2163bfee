import type { Context } from '../../platform/context.ts'
import type { ChangedIds } from '../../platform/db/notices.ts'
import type { Authenticate } from '../../platform/http/api.ts'
import { type Rights, type RightsOf, shared } from '../rights/index.ts'
import { userIdOf } from './person.ts'
import type { Sessions } from './sessions.ts'
import type { Asker } from './standing.ts'
import { isActive } from './store/users.ts'

/** A way to come in beside sessions: keys of programs, tokens of applications. */
export interface WayIn {
  /** Whether a token could be one of this way; the caller it stands for. Absent: this way has no tokens. */
  tokens?: { isOne(token: string): boolean; callerOf: Authenticate }
  /** What a caller that came in this way may do; undefined for everybody else. */
  rightsOf: (...args: Parameters<RightsOf>) => Rights | undefined
  /** What an asker that came in this way may do now, null when they would not be let in; undefined for everybody else. */
  rightsNow(asker: Asker): Promise<Rights | null> | undefined
  /** Forgets everything that was read from the database. */
  forget(): void
  /** Forgets what follows from users and how they signed in; absent: nothing does. */
  forgetUsers?(): void
}

/** Every way to come in: sessions, and what features above hang on. */
export class WaysIn {
  readonly #db: Context['db']
  readonly #sessions: Sessions
  readonly #others: WayIn[] = []

  constructor(db: Context['db'], sessions: Sessions) {
    this.#db = db
    this.#sessions = sessions
  }

  add(way: WayIn): void {
    this.#others.push(way)
  }

  readonly authenticate: Authenticate = (token, ip) => {
    const way = this.#others.find(({ tokens }) => tokens?.isOne(token))?.tokens ?? this.#sessions
    return way.callerOf(token, ip)
  }

  readonly rightsOf: RightsOf = async (caller) => {
    for (const way of this.#others) {
      const rights = way.rightsOf(caller)
      if (rights !== undefined) return rights
    }
    return this.#sessions.rightsOf(userIdOf(caller))
  }

  /**
   * What somebody who asked for something may do now; null when they would not be let in any more: the key is gone or has
   * ended, the person is gone or deactivated, or has taken back what they allowed the application. Signing out ends nothing.
   */
  async standingOf(asker: Asker): Promise<Pick<Rights, 'scopeIds'> | null> {
    const { userId, impersonatorId } = asker
    if (userId !== null && !(await isActive(this.#db, userId))) return null
    const own = await this.#rightsNow(asker)
    if (own === null || impersonatorId === undefined) return own
    if (!(await isActive(this.#db, impersonatorId))) return null
    return shared(own, await this.#sessions.rightsOf(impersonatorId))
  }

  async #rightsNow(asker: Asker): Promise<Rights | null> {
    for (const way of this.#others) {
      const rights = way.rightsNow(asker)
      if (rights !== undefined) return rights
    }
    return asker.userId === null ? null : this.#sessions.rightsOf(asker.userId)
  }

  /** Forgets what was read about some users. */
  forgetUsers(ids: ChangedIds): void {
    if (ids === '*') this.#sessions.forget()
    else this.#sessions.forgetUsers(ids)
    for (const way of this.#others) way.forgetUsers?.()
  }

  /** Makes the next request see rights that have just been changed, before the notification arrives. */
  forget(): void {
    this.#sessions.forget()
    for (const way of this.#others) way.forget()
  }
}
