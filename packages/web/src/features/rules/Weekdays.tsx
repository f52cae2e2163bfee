import { Checkbox, Group } from '@mantine/core'
import { localeTag } from '../../lib/format.ts'
import { toggled, weekdayName, weekdays } from './weekdays.ts'

/** Chooses weekdays; Monday is 1. */
export function Weekdays({
  days,
  onChange,
}: {
  days: readonly number[]
  onChange: (days: number[]) => void
}) {
  return (
    <Group gap={12}>
      {weekdays.map((day) => (
        <Checkbox
          key={day}
          label={weekdayName(day, localeTag(), 'short')}
          aria-label={weekdayName(day, localeTag(), 'long')}
          checked={days.includes(day)}
          onChange={() => onChange(toggled(days, day))}
        />
      ))}
    </Group>
  )
}
