import type { DailyTrigger } from '@leitstand/contract/rules/triggers/daily'
import { IconClockHour7 } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerKindView } from '../types.ts'
import { timeText, weekdays } from './times.ts'

export const daily: TriggerKindView<DailyTrigger> = {
  icon: IconClockHour7,
  create: () => ({ kind: 'daily', hour: 7, minute: 0, days: [1, 2, 3, 4, 5] }),
  phrase(trigger, t) {
    const time = timeText(trigger)
    const isEveryDay = trigger.days.length === weekdays.length
    if (isEveryDay) return t('rules.triggers.phrases.everyDay', { time })
    const days = weekdays
      .filter((day) => trigger.days.includes(day))
      .map((day) => t(`rules.triggers.days.${day}`))
    return t('rules.triggers.phrases.daily', { time, days: days.join(', ') })
  },
  faults: ({ days }) => (days.length === 0 ? [{ field: 'days', key: 'noDay' }] : []),
  Form: onDemand(() => import('./DailyForm.tsx')),
}
