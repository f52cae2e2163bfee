/** For how long alarms are set aside most often. */
export const snoozeSpans = ['hour', 'fourHours', 'tomorrow', 'monday'] as const
export type SnoozeSpan = (typeof snoozeSpans)[number]

const hourMs = 3_600_000
/** When a working day begins, local time. */
const morning = 7

/** The end of a span that begins now, in local time. */
export function snoozeUntil(span: SnoozeSpan, now: Date): Date {
  if (span === 'hour') return new Date(now.getTime() + hourMs)
  if (span === 'fourHours') return new Date(now.getTime() + 4 * hourMs)
  const days = span === 'tomorrow' ? 1 : 7 - ((now.getDay() + 6) % 7)
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning)
}
