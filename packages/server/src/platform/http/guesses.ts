import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import { fullBucket, type Rate, spent, waitMs } from '../tokenBucket.ts'

const addressesMax = 10_000

/**
 * Secrets from one address that nobody has. Only what was wrong is counted, so that whoever holds a good one is never
 * held up by how often he uses it.
 */
export class WrongGuesses {
  readonly #buckets = new LRUCache<string, ReturnType<typeof fullBucket>>(upTo(addressesMax))
  readonly #rate: Rate

  /** @param perMinute wrong ones an address may bring in the long run, and at once */
  constructor(perMinute: number) {
    this.#rate = { perSecond: perMinute / 60, burst: perMinute }
  }

  /** Seconds until an address may bring the next one; 0 when it may now. */
  waitSeconds(address: string, nowMs: number): number {
    const bucket = this.#buckets.get(address)
    return bucket ? Math.ceil(waitMs(bucket, this.#rate, nowMs) / 1000) : 0
  }

  note(address: string, nowMs: number): void {
    const bucket = this.#buckets.get(address) ?? fullBucket(this.#rate, nowMs)
    this.#buckets.set(address, spent(bucket, 1, this.#rate, nowMs))
  }
}
