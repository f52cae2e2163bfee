import type { Activation, MyDoor } from '@leitstand/contract/keys'
import type { TFunction } from 'i18next'
import { formatTimeShort, localeTag } from '../../lib/format.ts'
import type { Tone } from '../../ui/display/Badges.tsx'
import { weekdaysText } from '../rules/pure.ts'

type Validity = Pick<MyDoor, 'validFrom' | 'validUntil' | 'weekdays' | 'hours' | 'timeZone'>

/** When a key opens: its period, weekdays and hours, in words. */
export function validityText(t: TFunction, key: Validity, ownZone: string): string {
  const { validFrom, validUntil, weekdays, hours, timeZone } = key
  const period =
    validUntil === null
      ? t('keys.from', { from: formatTimeShort(validFrom) })
      : t('keys.fromTo', { from: formatTimeShort(validFrom), until: formatTimeShort(validUntil) })
  return [period, hoursText(t, { weekdays, hours, timeZone }, ownZone)].filter(Boolean).join(' · ')
}

/** Weekdays and hours; the time zone where it is another one than the reader's. Empty: always. */
export function hoursText(
  t: TFunction,
  { weekdays, hours, timeZone }: Pick<Validity, 'weekdays' | 'hours' | 'timeZone'>,
  ownZone: string,
): string {
  const days = weekdays.length === 0 ? '' : weekdaysText(weekdays, localeTag())
  const clock = hours === null ? '' : t('keys.hoursFromTo', { from: hours.from, until: hours.until })
  const zone = (days || clock) && timeZone !== ownZone ? `(${timeZone})` : ''
  return [days, clock, zone].filter(Boolean).join(' ')
}

/** The time zone of this browser. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** How an activation went. `requested`: still under way. */
export const resultOf = ({ result }: Pick<Activation, 'result'>) => result ?? 'requested'

export const resultTones: Record<ReturnType<typeof resultOf>, Tone> = {
  requested: 'unknown',
  opened: 'ok',
  sent: 'accent',
  failed: 'error',
  noAnswer: 'warning',
  refused: 'invalid',
}

/** Why a lock did not open, in words; the code of a reason that has no text. */
export function reasonText(t: TFunction, { result, reason, detail }: Activation): string {
  if (reason === '') return ''
  const text =
    result === 'refused'
      ? t(`keys.refusal.${reason}`, { defaultValue: reason })
      : t(`keys.failure.${reason}`, { defaultValue: t(`errors.${reason}`, { defaultValue: reason }) })
  return detail === '' ? text : `${text} (${detail})`
}
