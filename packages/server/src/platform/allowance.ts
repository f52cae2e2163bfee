import { LRUCache } from 'lru-cache'
import { upTo } from './cache.ts'
import { type Bucket, fullBucket, type Rate, refilled, spent, waitMs } from './tokenBucket.ts'

const keysMax = 10_000

/** What keys (accounts, connectors) may use up: so much at once, and so much a second. The last 10 000 are remembered. */
export class Allowance<K extends number | string> {
  readonly #rate: Rate
  readonly #buckets = new LRUCache<K, Bucket>(upTo(keysMax))

  constructor(rate: Rate) {
    this.#rate = rate
  }

  left(key: K, nowMs: number): number {
    return refilled(this.#bucketOf(key, nowMs), this.#rate, nowMs).tokens
  }

  /** Milliseconds until some is left; 0: there is. */
  waitMs(key: K, nowMs: number): number {
    return waitMs(this.#bucketOf(key, nowMs), this.#rate, nowMs)
  }

  /** Uses some up, even more than is left. */
  spend(key: K, amount: number, nowMs: number): void {
    this.#buckets.set(key, spent(this.#bucketOf(key, nowMs), amount, this.#rate, nowMs))
  }

  #bucketOf(key: K, nowMs: number): Bucket {
    return this.#buckets.get(key) ?? fullBucket(this.#rate, nowMs)
  }
}
