const dayMs = 86_400_000

/** A day is the least that says something: within it the load comes and goes. */
export const growthAfterMs = dayMs

/** How much something grows in a day, by two measurements. Negative: it shrinks. */
export function growthPerDay(
  before: { measuredAt: Date; bytes: number },
  after: { measuredAt: Date; bytes: number },
): number {
  const days = (after.measuredAt.getTime() - before.measuredAt.getTime()) / dayMs
  return (after.bytes - before.bytes) / days
}

/** Further ahead nobody knows. */
const yearsMax = 100

/** When nothing is free any more; null: it does not grow, or not before a hundred years. */
export function fullAt(now: Date, freeBytes: number, growth: number | null): Date | null {
  if (growth === null || growth <= 0) return null
  const days = freeBytes / growth
  return days > yearsMax * 365 ? null : new Date(now.getTime() + days * dayMs)
}
