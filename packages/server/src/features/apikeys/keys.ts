import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import { onPrimary } from '../../platform/db/reading.ts'
import { type ChangedGrounds, type Derived, DerivedCache } from '../../platform/derivedCache.ts'
import type { AuthenticateKey } from '../../platform/http/api.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { hashToken } from '../people/index.ts'
import { groundsOf, groundsOfReach, Rights, readReach } from '../rights/index.ts'
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
  /** by their hash, in base64 */
  readonly #known: DerivedCache<string, Known>
  readonly #minutes = new LRUCache<number, Minute>(upTo(minutesMax))
  readonly #rights = new WeakMap<Caller, Rights>()

  constructor(ctx: Pick<Context, 'db' | 'clock'>) {
    this.#ctx = ctx
    this.#known = new DerivedCache({
      max: keysCachedMax,
      ttlMs: cachedMs,
      read: (hash) => onPrimary(() => this.#read(Buffer.from(hash, 'base64'))),
    })
  }

  /** Clears what was computed from something that has changed. */
  forget(changed: ChangedGrounds): void {
    this.#known.forget(changed)
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
    return (await this.#known.get(hash.toString('base64')))?.value
  }

  async #read(hash: Buffer): Promise<Derived<Known> | undefined> {
    const { db } = this.#ctx
    const row = await readKey(db, hash)
    if (!row) return undefined
    const reach = await readReach(db, [row.scopeId])
    const rights = new Rights(reach.scopes, [{ scopeId: row.scopeId, isMain: true, rules: row.rules }])
    const grounds = new Set<string>([
      ...groundsOf('key', [row.id]),
      ...groundsOf('role', [row.roleId]),
      ...groundsOfReach(reach),
    ])
    return { value: { hash, row, rights, touchedAtMs: row.lastUsedAt?.getTime() ?? 0 }, grounds }
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
