export const breakerLimits = {
  /** consecutive failures that open the breaker */
  failuresMax: 3,
  restMs: 30_000,
  /** each rest is twice as long as the previous one, up to this */
  restMaxMs: 300_000,
} as const

/** State of the circuit breaker of a parser. */
export interface BreakerState {
  failures: number
  /** next allowed call, in ms since 1970; null: allowed now */
  restsUntilMs: number | null
}

export const closedBreaker: BreakerState = { failures: 0, restsUntilMs: null }

/**
 * The state after a call. After too many consecutive failures the parser rests, then gets one call; failures
 * extend the rest.
 */
export function afterCall(state: BreakerState, succeeded: boolean, nowMs: number): BreakerState {
  if (succeeded) return closedBreaker
  const failures = state.failures + 1
  const rests = failures - breakerLimits.failuresMax
  if (rests < 0) return { failures, restsUntilMs: null }
  const restMs = Math.min(breakerLimits.restMs * 2 ** Math.min(rests, 10), breakerLimits.restMaxMs)
  return { failures, restsUntilMs: nowMs + restMs }
}

/** Whether a call is allowed; after a rest, only one at a time. */
export function mayCall({ restsUntilMs }: BreakerState, callsUnderWay: number, nowMs: number): boolean {
  if (restsUntilMs === null) return true
  return nowMs >= restsUntilMs && callsUnderWay === 0
}
