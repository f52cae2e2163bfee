import { networkOf } from '../net/address.ts'
import type { Rate } from '../tokenBucket.ts'

/** Bounds of live connections in one process: how many there may be, and what a client may send. */
export const liveBounds = {
  /** all together */
  connectionsMax: 5_000,
  /** an office shares an address, and its people have several tabs */
  perAddressMax: 500,
  /** a person, in all tabs and programs */
  perUserMax: 50,
  /** an account with all accounts below it; the topmost account counts for its own users alone */
  perAccountMax: 2_000,
  /** the last places are for accounts that have few, so that some large accounts cannot take everything */
  reservedPlaces: 1_000,
  reservedPerAccount: 100,
  /** of one address, and of all, that have not said hello */
  waitingPerAddressMax: 50,
  waitingMax: 1_000,
  /** from opening to hello */
  helloMs: 10_000,
} as const

/** What a client may send: a page asks for all its topics at once and says little afterwards. */
export const messageRate: Rate = { perSecond: 50, burst: 500 }

/** A bound that is reached. */
export type Refusal = 'user' | 'account' | 'address' | 'total'

export const refusalTexts: Readonly<Record<Refusal, string>> = {
  user: 'too many connections of this user',
  account: 'too many connections of this account',
  address: 'too many connections from this address',
  total: 'too many connections',
}

/** Who takes a place. */
export interface Holder {
  userId: number
  /** the account of the user and those above, nearest first, without the topmost one unless it is the user's own */
  accountIds: readonly number[]
}

/** A connection that is counted. */
export interface Place {
  readonly address: string
  holder: Holder | null
}

/** Counts connections by address, user and account. */
export class Places {
  readonly #all = new Set<Place>()
  readonly #byAddress = new Counts<string>()
  readonly #waitingByAddress = new Counts<string>()
  readonly #byUser = new Counts<number>()
  readonly #byAccount = new Counts<number>()
  #waiting = 0

  get size(): number {
    return this.#all.size
  }

  /** Takes a place for a connection that has not said who it is. */
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

  /** Notes whose a place is. @returns the bound in the way; the place then stays nobody's */
  seat(place: Place, holder: Holder): Refusal | null {
    if (!this.#all.has(place) || place.holder !== null) return 'total'
    if (this.#byUser.of(holder.userId) >= liveBounds.perUserMax) return 'user'
    const most = Math.max(...holder.accountIds.map((id) => this.#byAccount.of(id)), 0)
    if (most >= liveBounds.perAccountMax) return 'account'
    const seated = this.size - this.#waiting
    const isScarce = seated >= liveBounds.connectionsMax - liveBounds.reservedPlaces
    if (isScarce && most >= liveBounds.reservedPerAccount) return 'account'
    this.#stopWaiting(place)
    place.holder = holder
    this.#byUser.add(holder.userId, 1)
    for (const id of holder.accountIds) this.#byAccount.add(id, 1)
    return null
  }

  /** Gives a place back; once is enough. */
  leave(place: Place): void {
    if (!this.#all.delete(place)) return
    this.#byAddress.add(place.address, -1)
    const { holder } = place
    if (holder === null) this.#stopWaiting(place)
    else this.#byUser.add(holder.userId, -1)
    for (const id of holder?.accountIds ?? []) this.#byAccount.add(id, -1)
  }

  #stopWaiting(place: Place): void {
    this.#waitingByAddress.add(place.address, -1)
    this.#waiting--
  }
}

/** Numbers by key; those that are zero take no memory. */
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
