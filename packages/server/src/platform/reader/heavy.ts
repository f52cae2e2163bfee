import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../tokenBucket.ts'
import type { ReaderLimits } from './types.ts'

const accountsMax = 10_000

/** Reading time that accounts have used recently. */
export class ReadingTime {
  readonly #rate: Rate
  readonly #left = new LRUCache<number, Bucket>(upTo(accountsMax))

  constructor({ heavyMs, heavyForgivenMs }: Pick<ReaderLimits, 'heavyMs' | 'heavyForgivenMs'>) {
    this.#rate = { perSecond: heavyForgivenMs, burst: heavyMs }
  }

  /** Whether the account has used so much that the files of all others come first. */
  isHeavy(accountId: number, nowMs: number): boolean {
    const left = this.#left.get(accountId)
    return left !== undefined && waitMs(left, this.#rate, nowMs) > 0
  }

  /** @param ms time it took to read a file */
  spend(accountId: number, ms: number, nowMs: number): void {
    const left = this.#left.get(accountId) ?? fullBucket(this.#rate, nowMs)
    this.#left.set(accountId, spent(left, ms, this.#rate, nowMs))
  }
}
