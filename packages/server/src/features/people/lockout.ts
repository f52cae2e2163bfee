/** Consecutive wrong passwords. */
export interface Attempts {
  failed: number
  lockedUntil: Date | null
}

export const wrongMax = 5
export const lockMs = 10 * 60_000

/** Whether no attempt is allowed at this time. */
export function isLocked({ lockedUntil }: Attempts, now: Date): boolean {
  return lockedUntil !== null && lockedUntil > now
}

/** Counts an attempt before its password is checked, so that concurrent attempts do not exceed the limit. */
export function countAttempt(attempts: Attempts, now: Date): Attempts {
  // After a lock has expired the count starts again.
  const failed = (attempts.lockedUntil === null ? attempts.failed : 0) + 1
  return { failed, lockedUntil: failed >= wrongMax ? new Date(now.getTime() + lockMs) : null }
}
