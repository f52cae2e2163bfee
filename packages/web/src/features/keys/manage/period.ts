const hourMs = 3_600_000

/** Times the log can be narrowed to, in hours until now. */
export const periods = { day: 24, week: 168, month: 720 } as const

/**
 * Since when activations of a period are shown, as an ISO time; undefined: there is no such period. It begins on the hour, so
 * that the list is not read again each second.
 */
export function sinceOf(period: string | undefined, nowMs: number): string | undefined {
  const hours = Object.entries(periods).find(([name]) => name === period)?.[1]
  if (hours === undefined) return undefined
  return new Date(Math.floor(nowMs / hourMs - hours) * hourMs).toISOString()
}
