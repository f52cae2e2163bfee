import type { ExportFrequency, ExportSchedule } from '@leitstand/contract/exportSchedules'
import type { TFunction } from 'i18next'
import { localeTag } from '../../lib/format.ts'
import type { Tone } from '../../ui/display/Badges.tsx'

/** How what became of a run is marked. */
export const tones = {
  waiting: 'accent',
  exporting: 'accent',
  delivering: 'accent',
  done: 'ok',
  partly: 'warning',
  empty: 'unknown',
  missed: 'warning',
  failed: 'error',
  sent: 'ok',
} as const satisfies Record<string, Tone>

/** A moment in a zone, as people write it there. */
export function momentText(time: string, timeZone: string, dateStyle: 'long' | 'medium' = 'long'): string {
  return new Intl.DateTimeFormat(localeTag(), { dateStyle, timeStyle: 'short', timeZone }).format(
    new Date(time),
  )
}

/** The names of the days of the week from Monday on, or of the months. */
export function namesOf(part: 'weekday' | 'month'): string[] {
  const format = new Intl.DateTimeFormat(localeTag(), { [part]: 'long', timeZone: 'UTC' })
  // The first of June 2026 is a Monday.
  const dates =
    part === 'weekday'
      ? Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 5, 1 + day))
      : Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 1))
  return dates.map((date) => format.format(date))
}

/** How often, in words. */
export function frequencyText(t: TFunction, frequency: ExportFrequency): string {
  switch (frequency.every) {
    case 'hour':
      return t('exportSchedules.often.hour', { minute: frequency.minute })
    case 'day':
      return t('exportSchedules.often.day', { time: frequency.time })
    case 'week':
      return t('exportSchedules.often.week', {
        day: namesOf('weekday')[frequency.weekday - 1],
        time: frequency.time,
      })
    case 'month':
      return frequency.day === 'last'
        ? t('exportSchedules.often.lastDay', { time: frequency.time })
        : t('exportSchedules.often.month', { day: frequency.day, time: frequency.time })
    case 'year':
      return t('exportSchedules.often.year', {
        day: frequency.day,
        month: namesOf('month')[frequency.month - 1],
        time: frequency.time,
      })
  }
}

/** What is exported, in words: which things, which period, which file. */
export function contentText(t: TFunction, { content, range }: ExportSchedule): string {
  const period = t(`exports.periods.${range.which} ${range.unit}`)
  if (content.kind === 'dashboard') return [t('exportSchedules.of.dashboard'), period, 'PDF'].join(' · ')
  return [
    t(`exportSchedules.of.${content.selection.of}`),
    period,
    t(`exports.formats.${content.format}`),
  ].join(' · ')
}
