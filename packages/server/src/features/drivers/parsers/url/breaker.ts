export const breakerLimits = {
  /** failures in a row after which a parser rests */
  failuresMax: 3,
  restMs: 30_000,
  /** each rest is twice as long as the one before, up to this */
  restMaxMs: 300_000,
} as const

/** How a parser has done; begins with no failures. */
export interface BreakerState {
  failures: number
  /** when it may be asked again, in ms since 1970; null: at any time */
  restsUntilMs: number | null
}

export const closedBreaker: BreakerState = { failures: 0, restsUntilMs: null }

/** After a call. Whoever fails too often in a row rests, then is asked once; each failure makes the rest longer. */
export function afterCall(state: BreakerState, succeeded: boolean, nowMs: number): BreakerState {
  if (succeeded) return closedBreaker
  const failures = state.failures + 1
  const rests = failures - breakerLimits.failuresMax
  if (rests < 0) return { failures, restsUntilMs: null }
  const restMs = Math.min(breakerLimits.restMs * 2 ** Math.min(rests, 10), breakerLimits.restMaxMs)
  return { failures, restsUntilMs: nowMs + restMs }
}

/** Whether it may be asked; after a rest only once at a time. */
export function mayCall({ restsUntilMs }: BreakerState, callsUnderWay: number, nowMs: number): boolean {
  if (restsUntilMs === null) return true
  return nowMs >= restsUntilMs && callsUnderWay === 0
}
