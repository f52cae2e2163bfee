/** Duration of an alarm in ms, for an open one until now. Never negative, even with clock skew. */
export function alarmDurationMs(
  alarm: { raisedAt: string; resolvedAt: string | null },
  nowMs: number,
): number {
  const endMs = alarm.resolvedAt === null ? nowMs : Date.parse(alarm.resolvedAt)
  return Math.max(0, endMs - Date.parse(alarm.raisedAt))
}

const steps = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** The two largest parts of a duration: `3 d 4 h`, `12 min 5 s`, `8 s`. The units are the same in both languages. */
export function durationText(ms: number): string {
  let rest = Math.round(ms / 1000) * 1000
  const parts: string[] = []
  for (const [unit, size] of steps) {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    if (amount > 0 || (parts.length > 0 && parts.length < 2)) parts.push(`${amount}\u202f${unit}`)
    if (parts.length === 2) break
  }
  return parts.length === 0 ? '0\u202fs' : parts.join(' ')
}
