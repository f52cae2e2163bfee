import type { KeyClosed } from '@leitstand/contract/keys'

/** When a key opens. */
export interface Validity {
  validFrom: Date
  validUntil: Date | null
  /** 1 Monday to 7 Sunday; none: all */
  weekdays: readonly number[]
  /** minutes since midnight; an end before the start is on the next day */
  hours: { from: number; until: number } | null
  timeZone: string
  revokedAt: Date | null
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Why a key opens nothing at a time; null: it does. */
export function closedAt(key: Validity, now: Date): KeyClosed | null {
  if (key.revokedAt !== null) return 'revoked'
  if (now < key.validFrom) return 'notYet'
  if (key.validUntil !== null && now >= key.validUntil) return 'expired'
  return isWithinHours(key, now) ? null : 'hours'
}

/** By the clock on the wall: hours that are skipped when it is put forward do not exist, repeated ones count twice. */
function isWithinHours({ weekdays, hours, timeZone }: Validity, now: Date): boolean {
  if (weekdays.length === 0 && hours === null) return true
  const { weekday, minute } = onTheWall(now, timeZone)
  const isOn = (day: number) => weekdays.length === 0 || weekdays.includes(day)
  if (hours === null) return isOn(weekday)
  const { from, until } = hours
  if (from < until) return isOn(weekday) && minute >= from && minute < until
  // Over midnight: what begins in the evening belongs to that day.
  const dayBefore = weekday === 1 ? 7 : weekday - 1
  return (isOn(weekday) && minute >= from) || (isOn(dayBefore) && minute < until)
}

function onTheWall(now: Date, timeZone: string): { weekday: number; minute: number } {
  const parts = new Map(
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  )
  return {
    weekday: days.indexOf(parts.get('weekday') ?? '') + 1,
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  }
}

/** `08:30` as minutes since midnight. */
export function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
}

export function clockOf(minutes: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
