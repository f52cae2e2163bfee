/** Periods that executions are filtered by, in hours. */
export const periodHours = [1, 24, 168, 720] as const

const msPerHour = 3_600_000
const msPerMinute = 60_000

/**
 * The start of a period that ends now, ISO 8601; undefined: no period is chosen. It stays the same for a minute, so that the
 * list is not read again with every render.
 */
export function periodStart(hours: string | undefined, nowMs: number): string | undefined {
  if (hours === undefined || !periodHours.some((each) => String(each) === hours)) return undefined
  const minute = Math.floor(nowMs / msPerMinute) * msPerMinute
  return new Date(minute - Number(hours) * msPerHour).toISOString()
}
