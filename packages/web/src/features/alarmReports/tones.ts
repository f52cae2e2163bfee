import type { AlarmReport } from '@leitstand/contract/alarmReports'
import type { Tone } from '../../ui/display/Badges.tsx'

/** How what became of a report is marked. */
export const tones = {
  waiting: 'accent',
  sent: 'ok',
  nothing: 'unknown',
  missed: 'warning',
  failed: 'error',
} as const satisfies Record<NonNullable<AlarmReport['lastState']>, Tone>
