import type { LiveTopic } from '@leitstand/contract/live'
import type { Action, Subject } from '@leitstand/contract/permissions'
import { Allowance } from '../../platform/allowance.ts'
import type { Context } from '../../platform/context.ts'
import { onPrimary } from '../../platform/db/reading.ts'
import { type ChangedGrounds, type Derived, DerivedCache } from '../../platform/derivedCache.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { WrongGuesses } from '../../platform/http/guesses.ts'
import { networkOf } from '../../platform/net/address.ts'
import { touchKey } from '../apikeys/index.ts'
import { hashToken } from '../people/index.ts'
import { groundsOf, groundsOfReach, readReach } from '../rights/index.ts'
import { isUnlocked } from './password.ts'
import { filterBelow, findShareByToken, type ShareRow } from './store.ts'

export const shareLimits = {
  /** calls to one link from one address; an office shares an address */
  perAddress: { perSecond: 10, burst: 300 },
  /** calls to one link from everywhere */
  perLink: { perSecond: 100, burst: 3_000 },
  /** unknown links an address may ask for, per minute */
  unknownPerMinute: 300,
  /** passwords of one link tried from everywhere, per minute; the API limits them by address */
  passwordsPerMinute: 60,
} as const

const cachedMax = 5_000
/** Changes are announced; this is for those that are not, such as another scope of the twin. */
const cachedMs = 10_000
const touchEveryMs = 60_000
const tokenForm = /^lss_[\w-]{43}$/
const separator = '~'

/** A link that is valid now. */
export interface OpenShare {
  row: ShareRow
  /** the scopes of what it shows */
  scopeIds: readonly number[]
  /** what all of this was computed from */
  grounds: ReadonlySet<string>
  /** grows when it is read again after something has changed */
  generation: number
}

interface Known extends OpenShare {
  touchedAtMs: number
}

/** Public links by their token, and how often they may be called. */
export class Shares {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'secrets'>
  /** by the hash of their token, in base64 */
  readonly #known: DerivedCache<string, Known>
  readonly #perAddress = new Allowance<string>(shareLimits.perAddress)
  readonly #perLink = new Allowance<number>(shareLimits.perLink)
  readonly #unknown = new WrongGuesses(shareLimits.unknownPerMinute)
  readonly #passwords = new WrongGuesses(shareLimits.passwordsPerMinute)
  #generation = 0

  constructor(ctx: Pick<Context, 'db' | 'clock' | 'secrets'>) {
    this.#ctx = ctx
    this.#known = new DerivedCache({
      max: cachedMax,
      ttlMs: cachedMs,
      read: (hash) => onPrimary(() => this.#read(Buffer.from(hash, 'base64'))),
    })
  }

  /** Clears what was computed from something that has changed. */
  forget(changed: ChangedGrounds): void {
    this.#generation++
    this.#known.forget(changed)
  }

  /**
   * The link with this token, locked or not. Counts the call.
   * @throws AppError SHARE_NOT_FOUND, TOO_MANY_REQUESTS
   */
  async find(token: string, ip: string): Promise<OpenShare> {
    const [address, nowMs] = [networkOf(ip), performance.now()]
    refuse(this.#unknown.waitSeconds(address, nowMs))
    const known = await this.peek(token)
    if (!known) {
      this.#unknown.note(address, nowMs)
      throw new AppError('SHARE_NOT_FOUND')
    }
    const { keyId } = known.row
    const place = `${keyId} ${address}`
    const waitMs = Math.max(this.#perAddress.waitMs(place, nowMs), this.#perLink.waitMs(keyId, nowMs))
    refuse(Math.ceil(waitMs / 1000))
    this.#perAddress.spend(place, 1, nowMs)
    this.#perLink.spend(keyId, 1, nowMs)
    await this.#touch(known, ip)
    return known
  }

  /** The link with this token, if it is valid now. */
  async peek(token: string): Promise<Known | undefined> {
    if (!tokenForm.test(token)) return undefined
    const known = (await this.#known.get(hashToken(token).toString('base64')))?.value
    const until = known?.row.validUntil
    return until && until <= this.#ctx.clock.now() ? undefined : known
  }

  /**
   * The link, unlocked.
   * @param access what `unlock` returned
   * @throws AppError SHARE_NOT_FOUND, SHARE_PASSWORD_REQUIRED, TOO_MANY_REQUESTS
   */
  async open(token: string, access: string | undefined, ip: string): Promise<OpenShare> {
    const share = await this.find(token, ip)
    if (!this.isUnlocked(share, access)) throw new AppError('SHARE_PASSWORD_REQUIRED')
    return share
  }

  isUnlocked({ row }: OpenShare, access: string | undefined): boolean {
    const { secrets, clock } = this.#ctx
    return isUnlocked(secrets, row, access, clock.now().getTime())
  }

  /**
   * Counts a password before it is compared, so that guesses sent at once count as well.
   * @throws AppError TOO_MANY_REQUESTS
   */
  countPassword({ row: { keyId } }: OpenShare): void {
    const [link, nowMs] = [String(keyId), performance.now()]
    refuse(this.#passwords.waitSeconds(link, nowMs))
    this.#passwords.note(link, nowMs)
  }

  /** The caller of a live connection; null if the token is that of no link, or of a locked one. */
  async authenticate(shown: string, ip: string): Promise<Caller | null> {
    const [token = '', access] = shown.split(separator)
    const share = await this.peek(token)
    return share && this.isUnlocked(share, access) ? this.callerOf(share, ip) : null
  }

  /** Whether a token of a live connection is that of a link. */
  isOne(token: string): boolean {
    return tokenForm.test(token.split(separator)[0] ?? '')
  }

  /** A caller that sees the object of a link, and follows nothing but it. */
  callerOf({ row, scopeIds, grounds, generation }: OpenShare, ip: string): Caller {
    const { db } = this.#ctx
    const { keyId, kind, objectId } = row
    const shown: Subject = kind === 'twin' ? 'DigitalTwin' : 'Dashboards'
    const within = (subject: Subject, action: Action) =>
      subject === shown && action === 'read' ? scopeIds : []
    return {
      kind: 'link',
      userId: null,
      name: `Link: ${row.title}`,
      ip,
      accountId: row.accountId,
      linkId: keyId,
      rightsKey: `link ${keyId} ${generation}`,
      grounds: [grounds],
      can: (subject, action) => within(subject, action).length > 0,
      scopeIds: within,
      grantedIn: () => [],
      follows: async (topic: LiveTopic) => {
        if (kind === 'dashboard') return topic === `dashboard:${objectId}`
        const id = /^(?:twin|moves):(\d+)$/.exec(topic)?.[1]
        return id !== undefined && (await filterBelow(db, [Number(id)], objectId)).size > 0
      },
      ...(row.validUntil ? { until: row.validUntil } : {}),
    }
  }

  async #read(hash: Buffer): Promise<Derived<Known> | undefined> {
    const { db } = this.#ctx
    const generation = this.#generation
    const row = await findShareByToken(db, hash)
    if (!row) return undefined
    const reach = await readReach(db, [row.scopeId])
    const needed = row.kind === 'twin' ? ['publicDashboard'] : ['publicDashboard', 'dashboards']
    const isOff = (modules: readonly string[] = []) => needed.some((module) => modules.includes(module))
    const scopes = reach.scopes.filter(({ modulesOff }) => !isOff(modulesOff))
    // Where a module is off, its links show nothing.
    if (!scopes.some(({ id }) => id === row.scopeId)) return undefined
    const grounds = new Set<string>([
      ...groundsOf('key', [row.keyId]),
      ...groundsOf('account', [row.accountId]),
      ...(row.kind === 'dashboard' ? groundsOf('dashboard', [row.objectId]) : []),
      ...groundsOfReach(reach),
    ])
    const scopeIds = scopes.map(({ id }) => id)
    const touchedAtMs = row.lastUsedAt?.getTime() ?? 0
    return { value: { row, scopeIds, grounds, generation, touchedAtMs }, grounds }
  }

  async #touch(known: Known, ip: string): Promise<void> {
    const now = this.#ctx.clock.now()
    if (now.getTime() - known.touchedAtMs < touchEveryMs) return
    known.touchedAtMs = now.getTime()
    await touchKey(this.#ctx.db, known.row.keyId, now, ip)
  }
}

/** @throws AppError TOO_MANY_REQUESTS unless the time is 0 */
function refuse(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds })
}
