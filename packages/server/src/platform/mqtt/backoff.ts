const firstMs = 1_000
const lastMs = 60_000

/**
 * Delay before the next attempt: doubles from one second to a minute, with jitter over its upper half so that
 * many clients of a restarted broker do not reconnect at once.
 * @param attempt 0 before the first retry
 * @param random from 0 to below 1
 */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(lastMs, firstMs * 2 ** Math.min(attempt, 16))
  return Math.round(full / 2 + (full / 2) * random)
}
