import type { DailyTrigger } from '@leitstand/contract/rules/triggers/daily'
import { DateTime } from 'luxon'
import type { TriggerDefinition } from '../types.ts'

export const daily: TriggerDefinition<DailyTrigger> = { next: nextDaily }

function nextDaily({ hour, minute, days }: DailyTrigger, after: Date, timeZone: string): Date | null {
  const start = DateTime.fromJSDate(after, { zone: timeZone }).startOf('day')
  for (let count = 0; count <= 8; count++) {
    const day = start.plus({ days: count }).startOf('day')
    const time = timeOn(day, hour, minute)
    if (days.includes(day.weekday) && time.toMillis() > after.getTime()) return time.toJSDate()
  }
  return null
}

/**
 * A time that the clock skips in spring is an hour later on that day; one that it shows twice in autumn comes once, the first
 * time. Luxon's choice depends on the current offset of the zone.
 */
function timeOn(day: DateTime, hour: number, minute: number): DateTime {
  const { year, month, day: dayOfMonth } = day
  const local = Date.UTC(year, month - 1, dayOfMonth, hour, minute)
  const offsets = [day.offset, day.endOf('day').offset]
  const times = offsets.map((offset) => day.plus(local - offset * 60_000 - day.toMillis()))
  const shown = times.filter((time) => time.hour === hour && time.minute === minute)
  return shown.sort((a, b) => a.toMillis() - b.toMillis())[0] ?? (times[0] as DateTime)
}
