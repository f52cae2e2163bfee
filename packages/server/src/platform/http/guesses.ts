import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import { fullBucket, type Rate, spent, waitMs } from '../tokenBucket.ts'

const addressesMax = 10_000

/**
 * Limits wrong secrets per address. Only wrong ones are counted, so a client with a valid secret is never
 * slowed down, however often it uses it.
 */
export class WrongGuesses {
  readonly #buckets = new LRUCache<string, ReturnType<typeof fullBucket>>(upTo(addressesMax))
  readonly #rate: Rate

  /** @param perMinute wrong secrets an address may send per minute; also the burst */
  constructor(perMinute: number) {
    this.#rate = { perSecond: perMinute / 60, burst: perMinute }
  }

  /** Seconds until the address may try again; 0 when it may now. */
  waitSeconds(address: string, nowMs: number): number {
    const bucket = this.#buckets.get(address)
    return bucket ? Math.ceil(waitMs(bucket, this.#rate, nowMs) / 1000) : 0
  }

  note(address: string, nowMs: number): void {
    const bucket = this.#buckets.get(address) ?? fullBucket(this.#rate, nowMs)
    this.#buckets.set(address, spent(bucket, 1, this.#rate, nowMs))
  }
}
