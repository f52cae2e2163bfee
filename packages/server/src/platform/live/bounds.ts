import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import { networkOf } from '../net/address.ts'
import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../tokenBucket.ts'

/** Limits of live connections in one process: their number, and the rate of client messages. */
export const liveBounds = {
  /** in total */
  connectionsMax: 5_000,
  /** an office shares an address, and its users have several tabs */
  perAddressMax: 500,
  /** a user, in all tabs and programs */
  perUserMax: 50,
  /** all visitors of a public link: they must not take the places of the account's users */
  perLinkMax: 200,
  /** an account with all accounts below it; for the topmost account only its own users count */
  perAccountMax: 2_000,
  /**
   * the last places are for accounts with few connections, so that a few large accounts cannot take
   * everything
   */
  reservedPlaces: 1_000,
  reservedPerAccount: 100,
  /** connections that have not said hello, per address and in total */
  waitingPerAddressMax: 50,
  waitingMax: 1_000,
  /** from opening to hello */
  helloMs: 10_000,
} as const

/** Rate of client messages: a page subscribes to all its topics at once and sends little afterwards. */
export const messageRate: Rate = { perSecond: 50, burst: 500 }

/**
 * Rate of client messages of a user on all connections; beyond it they are read later. Fifty tabs that
 * reconnect at once stay below it.
 */
export const userMessageRate: Rate = { perSecond: 200, burst: 5_000 }

/** The limit that was reached. */
export type Refusal = 'user' | 'link' | 'account' | 'address' | 'total'

export const refusalTexts: Readonly<Record<Refusal, string>> = {
  user: 'too many connections of this user',
  link: 'too many visitors of this link',
  account: 'too many connections of this account',
  address: 'too many connections from this address',
  total: 'too many connections',
}

/** The user or public link, and the accounts, that a place counts against. */
export interface Holder {
  by: `user ${number}` | `link ${number}`
  /** the account of the user and those above, nearest first, without the topmost one unless it is the user's own */
  accountIds: readonly number[]
}

/** A connection that is counted. */
export interface Place {
  readonly address: string
  holder: Holder | null
}

const pauseMsMax = 1_000

/** Counts client messages by user. */
export class Paces {
  readonly #buckets = new LRUCache<number, Bucket>(upTo(liveBounds.connectionsMax))

  /** Counts a message. @returns how long to read nothing more from the connection, in milliseconds */
  count(caller: { userId: number | null } | undefined, nowMs = performance.now()): number {
    if (caller === undefined || caller.userId === null) return 0
    const bucket = this.#buckets.get(caller.userId) ?? fullBucket(userMessageRate, nowMs)
    const wait = waitMs(bucket, userMessageRate, nowMs)
    this.#buckets.set(caller.userId, spent(bucket, 1, userMessageRate, nowMs))
    return Math.min(wait, pauseMsMax)
  }
}

/** Counts connections by address, user and account. */
export class Places {
  readonly #all = new Set<Place>()
  readonly #byAddress = new Counts<string>()
  readonly #waitingByAddress = new Counts<string>()
  readonly #byHolder = new Counts<Holder['by']>()
  readonly #byAccount = new Counts<number>()
  #waiting = 0

  get size(): number {
    return this.#all.size
  }

  /** Takes a place for a connection that has not identified itself. */
  enter(ip: string): Place | Refusal {
    const address = networkOf(ip)
    if (this.#byAddress.of(address) >= liveBounds.perAddressMax) return 'address'
    if (this.#waitingByAddress.of(address) >= liveBounds.waitingPerAddressMax) return 'address'
    if (this.#waiting >= liveBounds.waitingMax || this.size >= liveBounds.connectionsMax) return 'total'
    const place: Place = { address, holder: null }
    this.#all.add(place)
    this.#byAddress.add(address, 1)
    this.#waitingByAddress.add(address, 1)
    this.#waiting++
    return place
  }

  /** Assigns a place to its holder. @returns the limit that was reached; the place then stays unassigned */
  seat(place: Place, holder: Holder): Refusal | null {
    if (!this.#all.has(place) || place.holder !== null) return 'total'
    const isLink = holder.by.startsWith('link')
    const most = isLink ? liveBounds.perLinkMax : liveBounds.perUserMax
    if (this.#byHolder.of(holder.by) >= most) return isLink ? 'link' : 'user'
    const ofAccount = Math.max(...holder.accountIds.map((id) => this.#byAccount.of(id)), 0)
    if (ofAccount >= liveBounds.perAccountMax) return 'account'
    const seated = this.size - this.#waiting
    const isScarce = seated >= liveBounds.connectionsMax - liveBounds.reservedPlaces
    if (isScarce && ofAccount >= liveBounds.reservedPerAccount) return 'account'
    this.#stopWaiting(place)
    place.holder = holder
    this.#byHolder.add(holder.by, 1)
    for (const id of holder.accountIds) this.#byAccount.add(id, 1)
    return null
  }

  /** Releases a place; idempotent. */
  leave(place: Place): void {
    if (!this.#all.delete(place)) return
    this.#byAddress.add(place.address, -1)
    const { holder } = place
    if (holder === null) this.#stopWaiting(place)
    else this.#byHolder.add(holder.by, -1)
    for (const id of holder?.accountIds ?? []) this.#byAccount.add(id, -1)
  }

  #stopWaiting(place: Place): void {
    this.#waitingByAddress.add(place.address, -1)
    this.#waiting--
  }
}

/** Counts by key; zero counts take no memory. */
class Counts<K> {
  readonly #counts = new Map<K, number>()

  of(key: K): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: K, change: 1 | -1): void {
    const count = this.of(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}
