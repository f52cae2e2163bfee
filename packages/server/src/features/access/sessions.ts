import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { Rights } from './rights.ts'
import { insertSession, readGrants, readScopeTree, readSession, touchSession } from './store/access.ts'

/** A session ends when it has not been used for this long. */
const idleMaxMs = 14 * 24 * 3_600_000
/** The time of last use is written this often at most. */
const touchEveryMs = 60_000
const sessionsCachedMax = 10_000
const usersCachedMax = 2000
/** Second line of defence should a notification get lost. */
const cachedMs = 60_000

interface CachedSession {
  userId: number
  name: string
  expiresAt: Date
  touchedAt: Date
}

/**
 * Token → caller. Tokens are 256 random bits; only their SHA-256 is stored.
 * Sessions and rights are cached until `forget`, which every change of them anywhere leads to.
 */
export class Sessions {
  readonly #db: Db
  readonly #clock: Clock
  readonly #sessions = new LRUCache<string, CachedSession>({ max: sessionsCachedMax, ttl: cachedMs })
  readonly #rights = new LRUCache<number, Promise<{ rights: Rights; key: string }>>({
    max: usersCachedMax,
    ttl: cachedMs,
  })
  #generation = 0

  constructor(db: Db, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Forgets everything that was read from the database. */
  forget(): void {
    this.#generation++
    this.#sessions.clear()
    this.#rights.clear()
  }

  /** Forgets what was read about some users; signing in changes a user, and must not empty the cache for all. */
  forgetUsers(userIds: readonly number[]): void {
    this.#generation++
    const ids = new Set(userIds)
    for (const id of ids) this.#rights.delete(id)
    for (const [key, { userId }] of this.#sessions.entries()) if (ids.has(userId)) this.#sessions.delete(key)
  }

  /** Begins a session. @returns the token, which is not stored anywhere */
  async begin(
    tx: Executor,
    session: { userId: number; ip: string; userAgent: string },
  ): Promise<{ token: string; expiresAt: Date }> {
    const token = randomBytes(32).toString('base64url')
    const at = this.#clock.now()
    const expiresAt = new Date(at.getTime() + idleMaxMs)
    await insertSession(tx, { ...session, tokenHash: hashToken(token), at, expiresAt })
    return { token, expiresAt }
  }

  /** Who holds this token; null when nobody does any more. */
  async callerOf(token: string, ip: string): Promise<Caller | null> {
    const tokenHash = hashToken(token)
    const session = await this.#session(tokenHash)
    if (!session) return null
    const { rights, key } = await this.#rightsAndKey(session.userId)
    return {
      kind: 'user',
      userId: session.userId,
      name: session.name,
      ip,
      rightsKey: key,
      can: (subject, action) => rights.can(subject, action),
      scopeIds: (subject, action) => rights.scopeIds(subject, action),
    }
  }

  /** What a user may do, from the cache or the database. */
  async rightsOf(userId: number): Promise<Rights> {
    return (await this.#rightsAndKey(userId)).rights
  }

  #rightsAndKey(userId: number): Promise<{ rights: Rights; key: string }> {
    const known = this.#rights.get(userId)
    if (known) return known
    const loading = this.#loadRights(userId)
    this.#rights.set(userId, loading)
    // A failed look-up must not stay in the cache; whoever waits for it gets the error.
    loading.catch(() => {
      if (this.#rights.peek(userId) === loading) this.#rights.delete(userId)
    })
    return loading
  }

  async #loadRights(userId: number): Promise<{ rights: Rights; key: string }> {
    const grants = await readGrants(this.#db, userId)
    const scopes = await readScopeTree(this.#db, [...new Set(grants.map(({ scopeId }) => scopeId))])
    const key = createHash('sha256')
      .update(JSON.stringify([grants, scopes]))
      .digest('base64url')
    return { rights: new Rights(scopes, grants), key }
  }

  async #session(tokenHash: Buffer): Promise<CachedSession | null> {
    const key = tokenHash.toString('base64')
    const now = this.#clock.now()
    let session = this.#sessions.get(key)
    if (!session) {
      const generation = this.#generation
      const row = await readSession(this.#db, tokenHash, now)
      if (!row) return null
      session = {
        userId: row.userId,
        name: row.username,
        expiresAt: row.expiresAt,
        touchedAt: row.lastUsedAt,
      }
      // Something changed while we were reading: answer, but do not keep.
      if (generation === this.#generation) this.#sessions.set(key, session)
    }
    if (session.expiresAt <= now) return null
    if (now.getTime() - session.touchedAt.getTime() >= touchEveryMs) {
      session.touchedAt = now
      session.expiresAt = new Date(now.getTime() + idleMaxMs)
      await touchSession(this.#db, tokenHash, now, session.expiresAt)
    }
    return session
  }
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
