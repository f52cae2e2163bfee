/** Sustained rate per second, and the burst allowed after a pause. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** The tokens left, and the time of that count. Negative: more was spent than was available. */
export interface Bucket {
  readonly tokens: number
  readonly atMs: number
}

/** However much was spent at once, tokens are available again after this time. */
const debtSecondsMax = 60

/** The bucket of a key that has been idle for long. */
export function fullBucket(rate: Rate, nowMs: number): Bucket {
  return { tokens: rate.burst, atMs: nowMs }
}

/** The bucket refilled up to now. A clock set back removes nothing, and the rate may have changed. */
export function refilled({ tokens, atMs }: Bucket, { perSecond, burst }: Rate, nowMs: number): Bucket {
  const gained = (Math.max(0, nowMs - atMs) * perSecond) / 1000
  return { tokens: Math.max(-debtSecondsMax * perSecond, Math.min(burst, tokens + gained)), atMs: nowMs }
}

/** Milliseconds until a token is available, rounded up; 0 when one is. */
export function waitMs(bucket: Bucket, rate: Rate, nowMs: number): number {
  const { tokens } = refilled(bucket, rate, nowMs)
  return tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) * 1000) / rate.perSecond))
}

/**
 * Spends tokens, even when fewer are available: the next wait gets longer, but never much more than a
 * minute.
 */
export function spent(bucket: Bucket, count: number, rate: Rate, nowMs: number): Bucket {
  const { tokens } = refilled(bucket, rate, nowMs)
  return { tokens: Math.max(-debtSecondsMax * rate.perSecond, tokens - count), atMs: nowMs }
}
