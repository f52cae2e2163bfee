/** Wrong passwords of one user in a row. */
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

/** An attempt is counted before its password is looked at, so that many at once do not get more than five. */
export function countAttempt(attempts: Attempts, now: Date): Attempts {
  // A lock that has ended begins a new count.
  const failed = (attempts.lockedUntil === null ? attempts.failed : 0) + 1
  return { failed, lockedUntil: failed >= wrongMax ? new Date(now.getTime() + lockMs) : null }
}
