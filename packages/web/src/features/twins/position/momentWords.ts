import type { TFunction } from 'i18next'
import { formatTimeShort } from '../../../lib/format.ts'
import type { Tone } from '../../../ui/display/Badges.tsx'
import { lengthOf } from '../../drivers/index.ts'
import type { Moment } from './playback.ts'

/** What something did at a moment, in words. */
export function momentWords(moment: Moment | null, atMs: number, t: TFunction): string {
  if (!moment) return t('playback.notYet')
  if (moment.motion === 'moves') return t('playback.moves')
  if (moment.motion === 'silent') return t('playback.silent', { time: formatTimeShort(moment.sinceMs) })
  const lengthMs = atMs - moment.sinceMs
  return lengthMs < 1000 ? t('playback.reports') : t('playback.stays', { duration: lengthOf(lengthMs, t) })
}

export const toneOfMoment = ({ motion }: Moment): Tone => (motion === 'silent' ? 'unknown' : 'ok')
