import type { KeyAllowance } from '../../platform/http/api.ts'

const windowMs = 60_000

/** Calls of a key in a window of one minute that began at its first call. */
export interface Minute {
  readonly startMs: number
  readonly calls: number
}

/** Counts a call. Refused calls do not count, so that clients succeed once the minute is over. */
export function countCall(
  minute: Minute | undefined,
  limit: number,
  nowMs: number,
): { minute: Minute; allowance: KeyAllowance } {
  const isOver = minute === undefined || nowMs - minute.startMs >= windowMs || nowMs < minute.startMs
  const current = isOver ? { startMs: nowMs, calls: 0 } : minute
  const isExceeded = current.calls >= limit
  const counted = isExceeded ? current : { ...current, calls: current.calls + 1 }
  const resetSeconds = Math.ceil((current.startMs + windowMs - nowMs) / 1000)
  return {
    minute: counted,
    allowance: { limit, remaining: Math.max(0, limit - counted.calls), resetSeconds, isExceeded },
  }
}
