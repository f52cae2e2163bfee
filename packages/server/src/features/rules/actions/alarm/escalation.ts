import type { AlarmEscalation } from '@leitstand/contract/rules/actions/alarm'

const minuteMs = 60_000

/** Pure. When the next reminder after `at` is due; null: never. */
export function nextReminder(
  { everyMinutes, steps }: AlarmEscalation,
  raisedAt: Date,
  at: Date,
): Date | null {
  const times = steps.map(({ afterMinutes }) => raisedAt.getTime() + afterMinutes * minuteMs)
  const firstMs = times.reduce((a, b) => Math.min(a, b))
  const atMs = at.getTime()
  if (everyMinutes !== null) {
    const everyMs = everyMinutes * minuteMs
    const passed = Math.max(0, Math.floor((atMs - firstMs) / everyMs) + 1)
    times.push(firstMs + passed * everyMs)
  }
  const next = times.filter((ms) => ms > atMs).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  return Number.isFinite(next) ? new Date(next) : null
}

/** Pure. The recipients of the steps that are reached at `at`. */
export function remindedAt({ steps }: AlarmEscalation, raisedAt: Date, at: Date): string[] {
  const minutes = (at.getTime() - raisedAt.getTime()) / minuteMs
  const reached = steps.filter(({ afterMinutes }) => afterMinutes <= minutes)
  return [...new Set(reached.flatMap(({ recipients }) => recipients))]
}
