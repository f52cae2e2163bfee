/** How many a second may pass in the long run, and how many at once after a pause. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** What is left to spend, and when that was so. Below zero: more was spent than there was. */
export interface Bucket {
  readonly tokens: number
  readonly atMs: number
}

/** However much was spent at once, after this time there is something again. */
const debtSecondsMax = 60

/** The bucket of whoever has not come for long. */
export function fullBucket(rate: Rate, nowMs: number): Bucket {
  return { tokens: rate.burst, atMs: nowMs }
}

/** The bucket as it is now. A clock that was put back takes nothing away, and the rate may have changed. */
export function refilled({ tokens, atMs }: Bucket, { perSecond, burst }: Rate, nowMs: number): Bucket {
  const gained = (Math.max(0, nowMs - atMs) * perSecond) / 1000
  return { tokens: Math.max(-debtSecondsMax * perSecond, Math.min(burst, tokens + gained)), atMs: nowMs }
}

/** Milliseconds until a token is there, rounded up; 0 when one is. */
export function waitMs(bucket: Bucket, rate: Rate, nowMs: number): number {
  const { tokens } = refilled(bucket, rate, nowMs)
  return tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) * 1000) / rate.perSecond))
}

/** Spends some, also when fewer are there: what follows waits the longer, but never much more than a minute. */
export function spent(bucket: Bucket, count: number, rate: Rate, nowMs: number): Bucket {
  const { tokens } = refilled(bucket, rate, nowMs)
  return { tokens: Math.max(-debtSecondsMax * rate.perSecond, tokens - count), atMs: nowMs }
}
