import type { Context } from '../../platform/context.ts'
import { onPrimary } from '../../platform/db/reading.ts'
import { type ChangedGrounds, type Derived, DerivedCache } from '../../platform/derivedCache.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Sessions } from '../people/index.ts'
import type { Rights } from '../rights/index.ts'
import { groundsOf, groundsOfReach, readReach, readScopeTree } from '../rights/index.ts'
import { BoundedRights } from './bounded.ts'
import { accessTokenLength } from './provider.ts'
import { hashKey, readAccessToken, readGrantOf, type TokenRow, touchGrant } from './records.store.ts'

const tokensCachedMax = 10_000
/** Fallback if a notification is lost. */
const cachedMs = 60_000
/** Minimum interval between writes of the time of last use. */
const touchEveryMs = 60_000

interface Known {
  readonly row: TokenRow
  /** scopes of the application's account and of those below */
  readonly within: ReadonlySet<number>
  touchedAtMs: number
}

/** Access tokens of applications: token → caller, which is the user with the rights of the application. */
export class ApplicationTokens {
  readonly #ctx: Pick<Context, 'db' | 'clock'>
  readonly #sessions: Sessions
  /** by the hash of their token, in base64 */
  readonly #known: DerivedCache<string, Known>
  readonly #rights = new WeakMap<Caller, Rights>()

  constructor(ctx: Pick<Context, 'db' | 'clock'>, sessions: Sessions) {
    this.#ctx = ctx
    this.#sessions = sessions
    this.#known = new DerivedCache({
      max: tokensCachedMax,
      ttlMs: cachedMs,
      read: (hash) => onPrimary(() => this.#read(Buffer.from(hash, 'base64'))),
    })
  }

  /** Whether this could be an access token; session tokens are shorter. */
  static isOne(token: string): boolean {
    return token.length === accessTokenLength
  }

  /** Clears what was computed from something that has changed. */
  forget(changed: ChangedGrounds): void {
    this.#known.forget(changed)
  }

  /** The rights of an application; undefined for other callers. */
  rightsOf(caller: Caller): Rights | undefined {
    return this.#rights.get(caller)
  }

  /** The current rights of an application for a user; null without a grant. */
  async rightsNow(userId: number, applicationId: number): Promise<Rights | null> {
    const { db, clock } = this.#ctx
    const grant = await readGrantOf(db, userId, applicationId, clock.now())
    if (!grant || grant.needsTwoFactor) return null
    const within = new Set((await readScopeTree(db, [grant.scopeId])).map(({ id }) => id))
    return new BoundedRights(await this.#sessions.rightsOf(userId), grant.scopes, within)
  }

  /** The caller for a token; null when it is no longer valid. */
  async callerOf(token: string, ip: string): Promise<Caller | null> {
    const { db, clock } = this.#ctx
    const found = await this.#known.get(hashKey(token).toString('base64'))
    const now = clock.now()
    if (!found || found.value.row.expiresAt <= now) return null
    const known = found.value
    const { row, within } = known
    if (now.getTime() - known.touchedAtMs >= touchEveryMs) {
      known.touchedAtMs = now.getTime()
      await touchGrant(db, row.grantId, now, ip)
    }
    const { rights: own, key, grounds } = await this.#sessions.keyedRightsOf(row.userId)
    const about = {
      ...({ kind: 'user', userId: row.userId, name: row.username, ip } as const),
      accountId: row.accountId,
      application: { id: row.applicationId, name: row.title },
      until: row.expiresAt,
      rightsKey: `${key} by application ${row.grantId}: ${row.scopes.join(' ')}`,
      grounds: [found.grounds, grounds],
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

  async #read(hash: Buffer): Promise<Derived<Known> | undefined> {
    const { db, clock } = this.#ctx
    const row = await readAccessToken(db, hash, clock.now())
    if (!row) return undefined
    const reach = await readReach(db, [row.scopeId])
    const grounds = new Set<string>([
      ...groundsOf('user', [row.userId]),
      ...groundsOf('line', row.accountIds),
      ...groundsOf('grant', [row.grantId]),
      ...groundsOf('application', [row.applicationId]),
      ...groundsOfReach(reach),
    ])
    const within = new Set(reach.scopes.map(({ id }) => id))
    return { value: { row, within, touchedAtMs: row.lastUsedAt?.getTime() ?? 0 }, grounds }
  }
}
