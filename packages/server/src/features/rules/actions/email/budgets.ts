import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../../../../platform/tokenBucket.ts'

const hour = 3600
const day = 24 * hour

/**
 * What rules may mail. An account counts with all accounts below the same customer, so that making more accounts gives no
 * more mails.
 */
export const mailRates = {
  /** mails of one rule; each may go to many */
  rule: { perSecond: 60 / hour, burst: 20 },
  /** mails of one customer to one recipient */
  recipient: { perSecond: 30 / hour, burst: 15 },
  /** questions whether mails may come, of one customer */
  askAccount: { perSecond: 20 / hour, burst: 20 },
  /** the same to one address, whoever asks */
  askAddress: { perSecond: 3 / day, burst: 3 },
} as const satisfies Record<string, Rate>

/** Recipients of all mails of one customer; a quarter of an hour's worth at once. */
export function accountRate(perHour: number): Rate {
  return { perSecond: perHour / hour, burst: Math.max(1, perHour / 4) }
}

/** No budget takes longer to be full again. */
export const fullAfterMs = 2 * day * 1000

/** Budgets as they were read, and what was taken from them since. */
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

  /** Takes one; the caller has looked that there is one. */
  take(key: string): void {
    this.#buckets.set(key, spent(this.#bucketOf(key), 1, this.#rateOf(key), this.#nowMs))
    this.#changed.add(key)
  }

  /** What has to be written back. */
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
