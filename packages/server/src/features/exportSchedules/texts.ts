import { DateTime } from 'luxon'
import type { Period } from '../exports/index.ts'

/** A period as people write it, in the zone of the schedule. */
export function periodText({ startMs, endMs }: Period, timeZone: string, language: 'de' | 'en'): string {
  const [start, end] = [timeText(startMs, timeZone, language), timeText(endMs, timeZone, language)]
  return language === 'de' ? `${start} bis ${end}` : `${start} to ${end}`
}

export function timeText(timeMs: number, timeZone: string, language: 'de' | 'en'): string {
  return DateTime.fromMillis(timeMs, {
    zone: timeZone,
    locale: language === 'de' ? 'de-DE' : 'en-GB',
  }).toFormat(language === 'de' ? 'dd.MM.yyyy HH:mm' : 'dd MMM yyyy HH:mm')
}
