/** Periods that logs are filtered by, in hours. */
export const sinceHours = [1, 24, 168, 720] as const

const hourMs = 3_600_000
const minuteMs = 60_000

/** Pure. When a period began, to the minute: the same filter keeps its query for a while; undefined without one. */
export function startOf(hours: string | undefined, nowMs: number): string | undefined {
  const chosen = sinceHours.find((each) => String(each) === hours)
  if (chosen === undefined) return undefined
  const minute = Math.floor(nowMs / minuteMs) * minuteMs
  return new Date(minute - chosen * hourMs).toISOString()
}
