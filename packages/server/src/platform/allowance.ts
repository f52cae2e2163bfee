import { LRUCache } from 'lru-cache'
import { upTo } from './cache.ts'
import { type Bucket, fullBucket, type Rate, refilled, spent, waitMs } from './tokenBucket.ts'

const keysMax = 10_000

/** A token bucket per key (account, connector): a burst and a rate per second. Keeps the 10 000 keys used last. */
export class Allowance<K extends number | string> {
  readonly #rate: Rate
  readonly #buckets = new LRUCache<K, Bucket>(upTo(keysMax))

  constructor(rate: Rate) {
    this.#rate = rate
  }

  left(key: K, nowMs: number): number {
    return refilled(this.#bucketOf(key, nowMs), this.#rate, nowMs).tokens
  }

  /** Milliseconds until there are tokens; 0 if there are. */
  waitMs(key: K, nowMs: number): number {
    return waitMs(this.#bucketOf(key, nowMs), this.#rate, nowMs)
  }

  /** Takes tokens, also more than there are. */
  spend(key: K, amount: number, nowMs: number): void {
    this.#buckets.set(key, spent(this.#bucketOf(key, nowMs), amount, this.#rate, nowMs))
  }

  #bucketOf(key: K, nowMs: number): Bucket {
    return this.#buckets.get(key) ?? fullBucket(this.#rate, nowMs)
  }
}
