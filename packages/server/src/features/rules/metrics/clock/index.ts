import type { Metric } from '@leitstand/contract/rules'
import { DateTime } from 'luxon'
import { checkNoWindow } from '../parts.ts'
import type { OwnMetricKind } from '../types.ts'

export const clock: OwnMetricKind<Extract<Metric, { operation: 'clock' }>> = {
  check: checkNoWindow,
  value({ clock: unit }, { timeZone }, at) {
    const { hour, minute, weekday } = DateTime.fromJSDate(at, { zone: timeZone })
    return { minutes: hour * 60 + minute, hour, weekday }[unit]
  },
}
