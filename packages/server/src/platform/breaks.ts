/**
 * A break after each piece of work that comes last, twice as long as the work: low priority alone leaves no processor
 * idle, and then caches and memory are busy too when others need them.
 */

/** The break per millisecond of work: a third of the time is left for work. */
const factor = 2
const breakMsMax = 5_000

/** @param workedMs duration of the work in milliseconds, of any clock */
export function breakAfter(workedMs: number): number {
  return Math.min(breakMsMax, Math.max(0, workedMs) * factor)
}
