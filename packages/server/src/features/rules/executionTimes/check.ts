import type { ExecutionTimes } from '@leitstand/contract/rules'
import type { Issue } from '../types.ts'
import { isKnownCalendar } from './holidays.ts'

/** Problems with the times of a rule. */
export function checkExecutionTimes(times: ExecutionTimes | null): Issue[] {
  if (times === null) return []
  const issues = times.dates.flatMap(({ from, to }, index): Issue[] => {
    if (from <= to) return []
    const path = ['executionTimes', 'dates', String(index), 'to']
    return [{ path, message: `must not be before ${from}`, text: 'datesReversed' }]
  })
  const { holidays } = times
  if (holidays !== null && !isKnownCalendar(holidays)) {
    const path = ['executionTimes', 'holidays', holidays.region === undefined ? 'country' : 'region']
    issues.push({ path, message: 'no holidays are known', text: 'holidaysUnknown' })
  }
  return issues
}
