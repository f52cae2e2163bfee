import { DateTime } from 'luxon'

/** When messages may be sent; minutes of the day. */
export interface Timing {
  timeZone: string
  /** null: at once */
  digestMinute: number | null
  /** null: at any time; may pass midnight */
  quiet: { from: number; to: number } | null
}

/**
 * When a notification of something that happens now is sent: at once, after the quiet time, or with the digest of the day. A time that the
 * clock skips in spring is later by as much.
 */
export function dueAt({ timeZone, digestMinute, quiet }: Timing, now: Date): Date {
  const local = DateTime.fromJSDate(now, { zone: timeZone })
  if (digestMinute !== null) return next(local, digestMinute)
  if (quiet === null || quiet.from === quiet.to) return now
  const minute = local.hour * 60 + local.minute
  const { from, to } = quiet
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to
  return isQuiet ? next(local, to) : now
}

/** The next time that the clock shows this minute of the day, not now. */
function next(local: DateTime, minute: number): Date {
  const on = (day: DateTime) =>
    day.set({ hour: Math.floor(minute / 60), minute: minute % 60, second: 0, millisecond: 0 })
  const today = on(local)
  return (today > local ? today : on(local.plus({ days: 1 }))).toJSDate()
}

/** `07:30` as a minute of the day. */
export function minuteOf(time: string): number {
  const [hour, minute] = time.split(':').map(Number)
  return (hour as number) * 60 + (minute as number)
}

/** A minute of the day as `07:30`. */
export function timeOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}
