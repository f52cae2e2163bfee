import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import { networkOf } from '../net/address.ts'
import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../tokenBucket.ts'

/**
 * Rates of wrong passwords that are checked. Repeating the same wrong password is not a guess and is not
 * counted: a misconfigured device sends it all day long.
 */
export const signInRates = {
  /** for one user name from one address */
  perNameAndAddress: { perSecond: 1 / 6, burst: 10 },
  /** from one address, for all names */
  perAddress: { perSecond: 1 / 2, burst: 60 },
  /** for one user name from all addresses that have never sent its correct password */
  perName: { perSecond: 1 / 2, burst: 60 },
} as const satisfies Record<string, Rate>

const rememberedMax = 50_000

/** A password check in progress. */
export interface Attempt {
  /** whether the address has sent the correct password for the name before */
  readonly isKnown: boolean
  /** The password was correct, or the check was inconclusive: nothing is counted. */
  forgive(): void
  /** The password was correct: the address is known from now on. */
  succeed(): void
}

/**
 * Counts wrong passwords by name, by address, and by both. Attempts by others never block an address that has
 * sent the correct password. Each attempt counts until it succeeds, so that parallel attempts gain nothing.
 */
export class SignIns {
  readonly #buckets = new LRUCache<string, Bucket>(upTo(rememberedMax))
  readonly #known = new LRUCache<string, true>(upTo(rememberedMax))
  readonly #now: () => number

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether a password may be checked now. */
  mayTry(name: string, ip: string): boolean {
    return this.#bounds(name, ip).every(([key, rate]) => {
      const bucket = this.#buckets.get(key)
      return bucket === undefined || waitMs(bucket, rate, this.#now()) === 0
    })
  }

  /** Counts an attempt. */
  begin(name: string, ip: string): Attempt {
    const bounds = this.#bounds(name, ip)
    for (const [key, rate] of bounds) this.#spend(key, rate, 1)
    const forgive = () => {
      for (const [key, rate] of bounds) this.#spend(key, rate, -1)
    }
    const known = knownKey(name, networkOf(ip))
    return {
      isKnown: this.#known.has(known),
      forgive,
      succeed: () => {
        this.#known.set(known, true)
        forgive()
      },
    }
  }

  /** The address has sent the correct password without a counted attempt. */
  know(name: string, ip: string): void {
    this.#known.set(knownKey(name, networkOf(ip)), true)
  }

  #bounds(name: string, ip: string): [string, Rate][] {
    const address = networkOf(ip)
    const own: [string, Rate][] = [
      [`both ${address} ${name}`, signInRates.perNameAndAddress],
      [`address ${address}`, signInRates.perAddress],
    ]
    return this.#known.has(knownKey(name, address)) ? own : [...own, [`name ${name}`, signInRates.perName]]
  }

  #spend(key: string, rate: Rate, count: number): void {
    const nowMs = this.#now()
    const bucket = this.#buckets.get(key) ?? fullBucket(rate, nowMs)
    this.#buckets.set(key, spent(bucket, count, rate, nowMs))
  }
}

function knownKey(name: string, address: string): string {
  return `${address} ${name}`
}
