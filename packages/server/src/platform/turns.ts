import { LRUCache } from 'lru-cache'
import { upTo } from './cache.ts'
import { type Bucket, fullBucket, type Rate, spent, waitMs } from './tokenBucket.ts'

const keysMax = 1000

/**
 * Limits how often a key (an account, a user) may do something; keys that have been idle for long are
 * forgotten.
 */
export class Turns<K extends number | string> {
  readonly #buckets = new LRUCache<K, Bucket>(upTo(keysMax))
  readonly #rate: Rate

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** @returns false when the key has to wait */
  take(key: K, nowMs: number): boolean {
    const bucket = this.#buckets.get(key) ?? fullBucket(this.#rate, nowMs)
    if (waitMs(bucket, this.#rate, nowMs) > 0) return false
    this.#buckets.set(key, spent(bucket, 1, this.#rate, nowMs))
    return true
  }
  /** Returns a turn that was taken for something that does not count after all. */
  giveBack(key: K, nowMs: number): void {
    const bucket = this.#buckets.get(key)
    if (bucket) this.#buckets.set(key, spent(bucket, -1, this.#rate, nowMs))
  }
}
