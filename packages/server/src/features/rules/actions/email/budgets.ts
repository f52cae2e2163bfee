import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../../../../platform/tokenBucket.ts'

const hour = 3600
const day = 24 * hour

/**
 * Rate limits for mails of rules. All accounts below the same customer count together, so that creating more
 * accounts does not allow more mails.
 */
export const mailRates = {
  /** mails of one rule; each may have many recipients */
  rule: { perSecond: 60 / hour, burst: 20 },
  /** mails of one customer to one recipient */
  recipient: { perSecond: 30 / hour, burst: 15 },
  /** questions whether mails may be sent, per customer */
  askAccount: { perSecond: 20 / hour, burst: 20 },
  /** the same per address, for all customers together */
  askAddress: { perSecond: 3 / day, burst: 3 },
} as const satisfies Record<string, Rate>

/** Recipients of all mails of an account and those below it; the burst is a quarter of an hour's worth. */
export function accountRate(perHour: number): Rate {
  return { perSecond: perHour / hour, burst: perHour === 0 ? 0 : Math.max(1, perHour / 4) }
}

/** Every budget is full again after this time. */
export const fullAfterMs = 2 * day * 1000

/** Budgets as read, and what was taken from them since. */
export class Budgets {
  readonly #rates: ReadonlyMap<string, Rate>
  readonly #buckets: Map<string, Bucket>
  readonly #changed = new Set<string>()
  readonly #nowMs: number

  constructor(rates: ReadonlyMap<string, Rate>, buckets: ReadonlyMap<string, Bucket>, now: Date) {
    this.#rates = rates
    this.#buckets = new Map(buckets)
    this.#nowMs = now.getTime()
  }

  has(key: string): boolean {
    return waitMs(this.#bucketOf(key), this.#rateOf(key), this.#nowMs) === 0
  }

  /** Takes one; the caller has checked that one is left. */
  take(key: string): void {
    this.#buckets.set(key, spent(this.#bucketOf(key), 1, this.#rateOf(key), this.#nowMs))
    this.#changed.add(key)
  }

  /** The changed budgets to store. */
  changes(): { key: string; tokens: number; at: Date }[] {
    return [...this.#changed].map((key) => ({
      key,
      tokens: this.#bucketOf(key).tokens,
      at: new Date(this.#nowMs),
    }))
  }

  #bucketOf(key: string): Bucket {
    return this.#buckets.get(key) ?? fullBucket(this.#rateOf(key), this.#nowMs)
  }

  #rateOf(key: string): Rate {
    const rate = this.#rates.get(key)
    if (rate === undefined) throw new Error(`no rate for ${key}`)
    return rate
  }
}
