import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Executor } from '../../platform/db/index.ts'
import { onPrimary } from '../../platform/db/reading.ts'
import { type ChangedGrounds, type Derived, DerivedCache } from '../../platform/derivedCache.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { groundsOf, groundsOfReach, Rights, readGrants, readReach, shared } from '../rights/index.ts'
import { insertSession, readSession, replaceToken, type SessionRow, touchSession } from './sessions/store.ts'

/** Minimum interval between writes of the time of last use. */
const touchEveryMs = 60_000
/** Maximum duration of an impersonation. */
const impersonationMaxMs = 8 * 3_600_000
/** Maximum duration of a look at the console of a user. */
export const lookMaxMs = 3_600_000
/** Age at which a token is replaced. */
export const rotateAfterMs = 24 * 3_600_000
/** How long other tabs may still use the previous token. */
export const rotationGraceMs = 120_000
const sessionsCachedMax = 10_000
/** Of all users whose rights are cached, together: those of most people reach few scopes, an administrator's all of them. */
const scopesCachedMax = 300_000
/** What rights take besides their scopes, as many scopes. */
const scopesOfRights = 10
/** Fallback if a notification is lost. */
const cachedMs = 60_000

interface CachedSession extends Readonly<SessionRow> {
  expiresAt: Date
  lastUsedAt: Date
}

interface KeyedRights {
  rights: Rights
  /** changes when the rights do */
  key: string
  /** what they were computed from, see `Ground` of rights */
  grounds: ReadonlySet<string>
}

export interface SessionStart {
  userId: number
  ip: string
  userAgent: string
  /** the session of the user who impersonates this one */
  originalId?: number
  /** nothing can be changed in it; only with `originalId` */
  readOnly?: boolean
  /** the provider that vouched for the user; the session ends with it */
  ssoClientId?: number
  /** the provider has checked a second factor, so ours is not required */
  factorByProvider?: boolean
}

/** When an idle session ends, and the maximum duration of any session. */
export interface SessionLimits {
  readonly idleMs: number
  readonly maxMs: number
}

export interface BegunSession {
  id: number
  token: string
  expiresAt: Date
}

/**
 * Token → caller. Tokens are 256 random bits; only their SHA-256 is stored.
 * Sessions and rights are cached until `forget`, which every change triggers for those it concerns, in any process.
 */
export class Sessions {
  readonly #db: Db
  readonly #clock: Clock
  readonly #limits: SessionLimits
  /** by the hash of their token, in base64 */
  readonly #sessions: DerivedCache<string, CachedSession>
  /** by user */
  readonly #rights: DerivedCache<number, KeyedRights, never>

  constructor(db: Db, clock: Clock, limits: SessionLimits) {
    this.#db = db
    this.#clock = clock
    this.#limits = limits
    this.#sessions = new DerivedCache({
      max: sessionsCachedMax,
      ttlMs: cachedMs,
      read: (key) => onPrimary(() => this.#readSession(key)),
    })
    this.#rights = new DerivedCache<number, KeyedRights, never>({
      max: scopesCachedMax,
      // However many scopes somebody reaches, they are not read again with every request.
      sizeOf: ({ rights }) => Math.min(scopesOfRights + rights.scopes.length, scopesCachedMax),
      ttlMs: cachedMs,
      read: (userId) => onPrimary(() => this.#loadRights(db, userId)),
    })
  }

  /** Clears what was computed from something that has changed. */
  forget(changed: ChangedGrounds): void {
    this.#sessions.forget(changed)
    this.#rights.forget(changed)
  }

  /** Clears the cache for some users; signing in changes a user, which must not clear it for all. */
  forgetUsers(userIds: readonly number[]): void {
    this.forget(new Set(groundsOf('user', userIds)))
  }

  /** Begins a session. @returns the token, which is not stored anywhere */
  async begin(tx: Executor, session: SessionStart): Promise<BegunSession> {
    const token = randomBytes(32).toString('base64url')
    const at = this.#clock.now()
    const expiresAt =
      session.originalId === undefined
        ? this.endOf(at, at)
        : new Date(
            at.getTime() + Math.min(session.readOnly ? lookMaxMs : impersonationMaxMs, this.#limits.maxMs),
          )
    const originalId = session.originalId ?? null
    const id = await insertSession(tx, { ...session, originalId, tokenHash: hashToken(token), at, expiresAt })
    return { id, token, expiresAt }
  }

  /**
   * Gives a session a new token; the old one keeps working for a short time.
   * @param graceMs 0: the old token ends at once
   * @returns null when the token was already replaced
   */
  async rotate(tx: Executor, token: string, graceMs = rotationGraceMs): Promise<string | null> {
    const at = this.#clock.now()
    const fresh = randomBytes(32).toString('base64url')
    const previousUntil = new Date(at.getTime() + graceMs)
    return (await replaceToken(tx, hashToken(token), hashToken(fresh), at, previousUntil)) ? fresh : null
  }

  /** When a session begun at `begunAt` ends if `now` is its last use. */
  endOf(begunAt: Date, now: Date): Date {
    const { idleMs, maxMs } = this.#limits
    return new Date(Math.min(now.getTime() + idleMs, begunAt.getTime() + maxMs))
  }

  /** A new token when this one is old enough to be replaced, otherwise null. */
  async renew(token: string): Promise<{ token: string; expiresAt: Date } | null> {
    const session = await this.#session(hashToken(token))
    if (!session || session.previousUntil !== null || session.originalId !== null) return null
    if (this.#clock.now().getTime() - session.rotatedAt.getTime() < rotateAfterMs) return null
    const fresh = await this.rotate(this.#db, token)
    this.forgetUsers([session.userId])
    return fresh === null ? null : { token: fresh, expiresAt: session.expiresAt }
  }

  /** When the session of a token ends unless it is used. @throws AppError AUTH_TOKEN_NOT_FOUND */
  async expiryOf(token: string): Promise<Date> {
    const session = await this.#session(hashToken(token))
    if (!session) throw new AppError('AUTH_TOKEN_NOT_FOUND')
    return session.expiresAt
  }

  /** The session of the user who impersonates the user of this token; null without impersonation. */
  async originalOf(token: string): Promise<number | null> {
    return (await this.#session(hashToken(token)))?.originalId ?? null
  }

  /** The caller with this token; null when it is invalid or has expired. */
  async callerOf(token: string, ip: string): Promise<Caller | null> {
    const tokenHash = hashToken(token)
    const found = await this.#find(tokenHash)
    if (!found) return null
    const session = found.value
    const { userId, username: name, impersonatorId, needsTwoFactor } = session
    const own = await this.keyedRightsOf(userId)
    const about = {
      kind: 'user',
      userId,
      name,
      ip,
      sessionId: session.id,
      until: endOfToken(session),
    } as const
    const grounds = [found.grounds, own.grounds]
    if (needsTwoFactor) {
      const rightsKey = `${own.key} without second factor`
      return {
        ...about,
        rightsKey,
        grounds,
        needsTwoFactor,
        can: () => false,
        scopeIds: nowhere,
        grantedIn: nowhere,
      }
    }
    if (impersonatorId === null)
      return { ...about, ...permissionsOf(own.rights), rightsKey: own.key, grounds }
    const theirs = await this.keyedRightsOf(impersonatorId)
    return {
      ...about,
      ...permissionsOf(shared(own.rights, theirs.rights)),
      rightsKey: `${own.key} as ${theirs.key}`,
      grounds: [...grounds, theirs.grounds],
      impersonator: { userId: impersonatorId, name: session.impersonatorName ?? '' },
      ...(session.readOnly ? { looking: true } : {}),
    }
  }

  /** The rights of a user, from the cache or the database. */
  async rightsOf(userId: number): Promise<Rights> {
    return (await this.keyedRightsOf(userId)).rights
  }

  /** The same within a transaction, which must not wait until another connection has read them. */
  async rightsIn(tx: Executor, userId: number): Promise<Rights> {
    return (this.#rights.known(userId) ?? (await this.#loadRights(tx, userId)).value).rights
  }

  /** The same with a key that changes when the rights do, and what they were computed from. */
  async keyedRightsOf(userId: number): Promise<KeyedRights> {
    return (await this.#rights.get(userId)).value
  }

  async #loadRights(db: Executor, userId: number): Promise<Derived<KeyedRights>> {
    const grants = await readGrants(db, userId)
    const reach = await readReach(db, [...new Set(grants.map(({ scopeId }) => scopeId))])
    const { scopes } = reach
    const key = createHash('sha256')
      .update(JSON.stringify([grants, scopes]))
      .digest('base64url')
    const grounds = new Set<string>([
      ...groundsOf('user', [userId]),
      ...grants.flatMap(({ roleId }) => groundsOf('role', [roleId])),
      ...groundsOfReach(reach),
    ])
    return { value: { rights: new Rights(scopes, grants), key, grounds }, grounds }
  }

  async #session(tokenHash: Buffer): Promise<CachedSession | null> {
    return (await this.#find(tokenHash))?.value ?? null
  }

  async #readSession(key: string): Promise<Derived<CachedSession> | undefined> {
    const row = await readSession(this.#db, Buffer.from(key, 'base64'), this.#clock.now())
    if (!row) return undefined
    const users = row.impersonatorId === null ? [row.userId] : [row.userId, row.impersonatorId]
    const grounds = new Set<string>([...groundsOf('user', users), ...groundsOf('line', row.accountIds)])
    return { value: { ...row }, grounds }
  }

  async #find(tokenHash: Buffer): Promise<Derived<CachedSession> | null> {
    const key = tokenHash.toString('base64')
    const now = this.#clock.now()
    // Other requests extend the original session, which this cached copy does not reflect.
    const { originalExpiresAt = null } = this.#sessions.known(key) ?? {}
    if (originalExpiresAt !== null && originalExpiresAt <= now) this.#sessions.delete(key)
    const found = await this.#sessions.get(key)
    if (!found) return null
    const session = found.value
    if (session.expiresAt <= now) return null
    if (session.previousUntil !== null && session.previousUntil <= now) return null
    if (now.getTime() - session.lastUsedAt.getTime() >= touchEveryMs) {
      session.lastUsedAt = now
      if (session.originalId === null) session.expiresAt = this.endOf(session.createdAt, now)
      await touchSession(this.#db, session.id, now, session.expiresAt)
    }
    return found
  }
}

/** When a token ends unless its session is used before. */
function endOfToken({ expiresAt, previousUntil, originalExpiresAt }: CachedSession): Date {
  const ends = [expiresAt, previousUntil, originalExpiresAt].filter((end) => end !== null)
  return new Date(Math.min(...ends.map((end) => end.getTime())))
}

type Permissions = Pick<Rights, 'can' | 'scopeIds' | 'grantedIn'>
const nowhere = () => []

function permissionsOf(rights: Permissions): Pick<Caller, 'can' | 'scopeIds' | 'grantedIn'> {
  return {
    can: (subject, action) => rights.can(subject, action),
    scopeIds: (subject, action) => rights.scopeIds(subject, action),
    grantedIn: (subject, action) => rights.grantedIn(subject, action),
  }
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
