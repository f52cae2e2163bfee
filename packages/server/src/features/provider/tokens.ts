import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Sessions } from '../people/index.ts'
import type { Rights } from '../rights/index.ts'
import { readScopeTree } from '../rights/index.ts'
import { BoundedRights } from './bounded.ts'
import { accessTokenLength } from './provider.ts'
import { hashKey, readAccessToken, readGrantOf, type TokenRow, touchGrant } from './records.store.ts'

const tokensCachedMax = 10_000
/** Second line of defence should a notification get lost. */
const cachedMs = 60_000
/** The time of last use is written this often at most. */
const touchEveryMs = 60_000

interface Known {
  readonly row: TokenRow
  /** scopes of the account of the application and of those below */
  readonly within: ReadonlySet<number>
  touchedAtMs: number
}

/** Access tokens of applications: token → caller, who is the person with what the application may do. */
export class ApplicationTokens {
  readonly #ctx: Pick<Context, 'db' | 'clock'>
  readonly #sessions: Sessions
  readonly #known = new LRUCache<string, Known>({ ...upTo(tokensCachedMax), ttl: cachedMs })
  readonly #rights = new WeakMap<Caller, Rights>()
  #generation = 0

  constructor(ctx: Pick<Context, 'db' | 'clock'>, sessions: Sessions) {
    this.#ctx = ctx
    this.#sessions = sessions
  }

  /** Whether this could be an access token; a session token is shorter. */
  static isOne(token: string): boolean {
    return token.length === accessTokenLength
  }

  /** Forgets everything that was read from the database. */
  forget(): void {
    this.#generation++
    this.#known.clear()
  }

  /** What an application may do; undefined for everybody else. */
  rightsOf(caller: Caller): Rights | undefined {
    return this.#rights.get(caller)
  }

  /** What an application may do for a person now; null when the person has not, or no longer, allowed it anything. */
  async rightsNow(userId: number, applicationId: number): Promise<Rights | null> {
    const { db, clock } = this.#ctx
    const grant = await readGrantOf(db, userId, applicationId, clock.now())
    if (!grant || grant.needsTwoFactor) return null
    const within = new Set((await readScopeTree(db, [grant.scopeId])).map(({ id }) => id))
    return new BoundedRights(await this.#sessions.rightsOf(userId), grant.scopes, within)
  }

  /** Whom the application of this token acts for; null when it may not any more. */
  async callerOf(token: string, ip: string): Promise<Caller | null> {
    const { db, clock } = this.#ctx
    const known = await this.#find(token)
    const now = clock.now()
    if (!known || known.row.expiresAt <= now) return null
    const { row, within } = known
    if (now.getTime() - known.touchedAtMs >= touchEveryMs) {
      known.touchedAtMs = now.getTime()
      await touchGrant(db, row.grantId, now, ip)
    }
    const { rights: own, key } = await this.#sessions.keyedRightsOf(row.userId)
    const about = {
      ...({ kind: 'user', userId: row.userId, name: row.username, ip } as const),
      accountId: row.accountId,
      application: { id: row.applicationId, name: row.title },
      until: row.expiresAt,
      rightsKey: `${key} by application ${row.grantId}: ${row.scopes.join(' ')}`,
    }
    if (row.needsTwoFactor)
      return { ...about, needsTwoFactor: true, can: () => false, scopeIds: () => [], grantedIn: () => [] }
    const rights = new BoundedRights(own, row.scopes, within)
    const caller: Caller = {
      ...about,
      can: (subject, action) => rights.can(subject, action),
      scopeIds: (subject, action) => rights.scopeIds(subject, action),
      grantedIn: (subject, action) => rights.grantedIn(subject, action),
    }
    this.#rights.set(caller, rights)
    return caller
  }

  async #find(token: string): Promise<Known | undefined> {
    const { db, clock } = this.#ctx
    const cacheKey = hashKey(token).toString('base64')
    const cached = this.#known.get(cacheKey)
    if (cached) return cached
    const generation = this.#generation
    const row = await readAccessToken(db, token, clock.now())
    if (!row) return undefined
    const within = new Set((await readScopeTree(db, [row.scopeId])).map(({ id }) => id))
    const known: Known = { row, within, touchedAtMs: row.lastUsedAt?.getTime() ?? 0 }
    // Something changed while we were reading: answer, but do not keep.
    if (generation === this.#generation) this.#known.set(cacheKey, known)
    return known
  }
}
