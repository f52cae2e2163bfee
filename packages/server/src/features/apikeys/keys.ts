import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import type { AuthenticateKey } from '../../platform/http/api.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { hashToken } from '../people/index.ts'
import { Rights, readScopeTree } from '../rights/index.ts'
import { countCall, type Minute } from './allowance.ts'
import { type KeyRow, readKey, touchKey } from './store.ts'

const tokenPrefix = 'lsk_'
const shownLength = 10
const keysCachedMax = 5000
const minutesMax = 50_000
/** Fallback if a notification is lost. */
const cachedMs = 60_000
const touchEveryMs = 60_000

interface Known {
  readonly hash: Buffer
  readonly row: KeyRow
  readonly rights: Rights
  touchedAtMs: number
}

/** Keys of programs: token → caller, and the calls left in the minute. Each process counts separately. */
export class ApiKeys {
  readonly #ctx: Pick<Context, 'db' | 'clock'>
  readonly #known = new LRUCache<string, Known>({ ...upTo(keysCachedMax), ttl: cachedMs })
  readonly #minutes = new LRUCache<number, Minute>(upTo(minutesMax))
  readonly #rights = new WeakMap<Caller, Rights>()
  #generation = 0

  constructor(ctx: Pick<Context, 'db' | 'clock'>) {
    this.#ctx = ctx
  }

  /** Clears the cache for these keys, by default for all. */
  forget(ids?: readonly number[]): void {
    this.#generation++
    if (ids === undefined) this.#known.clear()
    else for (const [key, { row }] of this.#known.entries()) if (ids.includes(row.id)) this.#known.delete(key)
  }

  /** The rights of a caller with a key; undefined for other callers. */
  rightsOf(caller: Caller): Rights | undefined {
    return this.#rights.get(caller)
  }

  /**
   * The current rights of a key; null when it is no longer valid.
   * @param hash of the key, in base64
   */
  async rightsNow(hash: string): Promise<Rights | null> {
    const known = await this.#find(Buffer.from(hash, 'base64'))
    return known && isValid(known.row, this.#ctx.clock.now()) ? known.rights : null
  }

  readonly authenticate: AuthenticateKey = async (token, ip) => {
    const { db, clock } = this.#ctx
    if (!token.startsWith(tokenPrefix) || token.length > 200) return null
    const known = await this.#find(hashToken(token))
    const now = clock.now()
    if (!known || !isValid(known.row, now)) return null
    const { minute, allowance } = countCall(
      this.#minutes.get(known.row.id),
      known.row.callsPerMinute,
      now.getTime(),
    )
    this.#minutes.set(known.row.id, minute)
    if (now.getTime() - known.touchedAtMs >= touchEveryMs) {
      known.touchedAtMs = now.getTime()
      await touchKey(db, known.row.id, now, ip)
    }
    const caller = callerOf(known, ip)
    this.#rights.set(caller, known.rights)
    return { caller, allowance }
  }

  async #find(hash: Buffer): Promise<Known | undefined> {
    const { db } = this.#ctx
    const cacheKey = hash.toString('base64')
    const cached = this.#known.get(cacheKey)
    if (cached) return cached
    const generation = this.#generation
    const row = await readKey(db, hash)
    if (!row) return undefined
    const scopes = await readScopeTree(db, [row.scopeId])
    const rights = new Rights(scopes, [{ scopeId: row.scopeId, isMain: true, rules: row.rules }])
    const known: Known = { hash, row, rights, touchedAtMs: row.lastUsedAt?.getTime() ?? 0 }
    // Cached only if nothing changed during the read.
    if (generation === this.#generation) this.#known.set(cacheKey, known)
    return known
  }
}

/** A new token, its hash, and its first characters to tell keys apart. */
export function makeToken(begin = tokenPrefix): { token: string; hash: Buffer; prefix: string } {
  const token = begin + randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token), prefix: token.slice(0, shownLength) }
}

function isValid({ validFrom, validUntil, previousUntil }: KeyRow, now: Date): boolean {
  return (
    (validFrom === null || validFrom <= now) &&
    (validUntil === null || validUntil > now) &&
    (previousUntil === null || previousUntil > now)
  )
}

function callerOf({ hash, row, rights }: Known, ip: string): Caller {
  return {
    kind: 'apiKey',
    userId: null,
    name: `API: ${row.title}`,
    ip,
    accountId: row.accountId,
    keyHash: hash.toString('base64'),
    rightsKey: `api key ${row.id}`,
    can: (subject, action) => rights.can(subject, action),
    scopeIds: (subject, action) => rights.scopeIds(subject, action),
    grantedIn: (subject, action) => rights.grantedIn(subject, action),
  }
}
