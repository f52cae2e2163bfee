import type { Context } from '../../platform/context.ts'
import type { ChangedGrounds } from '../../platform/derivedCache.ts'
import type { Authenticate } from '../../platform/http/api.ts'
import { type Rights, type RightsOf, shared } from '../rights/index.ts'
import { userIdOf } from './person.ts'
import type { Sessions } from './sessions.ts'
import type { Asker } from './standing.ts'
import { isActive } from './store/users.ts'

/** A way to authenticate other than sessions: keys of programs, tokens of applications. */
export interface WayIn {
  /** Recognises tokens of this way and returns their caller. Absent: this way has no tokens. */
  tokens?: { isOne(token: string): boolean; callerOf: Authenticate }
  /** The rights of a caller authenticated this way; undefined for others. */
  rightsOf: (...args: Parameters<RightsOf>) => Rights | undefined
  /**
   * The current rights of an asker authenticated this way, null when they lost access; undefined for others.
   */
  rightsNow(asker: Asker): Promise<Rights | null> | undefined
  /** Clears what was computed from something that has changed. */
  forget(changed: ChangedGrounds): void
}

/** Every way to authenticate: sessions, and those registered by higher features. */
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
   * The current rights of an asker; null when they lost access: the key was deleted or has expired, the user
   * was deleted or deactivated, or has revoked the consent given to the application. Signing out does not end
   * access.
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

  /** Clears what was computed from something that has changed. */
  forget(changed: ChangedGrounds): void {
    this.#sessions.forget(changed)
    for (const way of this.#others) way.forget(changed)
  }
}
