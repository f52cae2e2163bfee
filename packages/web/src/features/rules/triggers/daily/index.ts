import type { DailyTrigger } from '@leitstand/contract/rules/triggers/daily'
import { IconClockHour7 } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { weekdays } from '../../weekdays.ts'
import type { TriggerKindView } from '../types.ts'
import { timeText } from './times.ts'

export const daily: TriggerKindView<DailyTrigger> = {
  icon: IconClockHour7,
  create: () => ({ kind: 'daily', hour: 7, minute: 0, days: [1, 2, 3, 4, 5] }),
  phrase(trigger, { text, weekdays: daysText }) {
    const time = timeText(trigger)
    const isEveryDay = trigger.days.length === weekdays.length
    return isEveryDay
      ? text('rules.triggers.phrases.everyDay', { time })
      : text('rules.triggers.phrases.daily', { time, days: daysText(trigger.days) })
  },
  faults: ({ days }) => (days.length === 0 ? [{ field: 'days', key: 'noDay' }] : []),
  Form: onDemand(() => import('./DailyForm.tsx')),
}
