import type { ExecutionTimes } from '@leitstand/contract/rules'

export type Window = ExecutionTimes['windows'][number]
export type Holidays = NonNullable<ExecutionTimes['holidays']>

/** Maximum windows and date ranges, as in the contract. */
export const timesMax = 20

/** The times that a rule without any begins with: in the daytime on working days. */
export const newTimes: ExecutionTimes = {
  windows: [{ days: [1, 2, 3, 4, 5], from: '07:00', to: '17:00' }],
  dates: [],
  holidays: null,
}

/** Problems with times: keys below `rules.faults`, each once. */
export function timesFaults(times: ExecutionTimes | null): string[] {
  if (times === null) return []
  const { windows, dates, holidays } = times
  const faults: string[] = []
  if (windows.length + dates.length === 0 && holidays === null) faults.push('noTimes')
  if (windows.some(({ days }) => days.length === 0)) faults.push('noWeekday')
  if (windows.some(({ from, to }) => from === '' || to === '')) faults.push('noClock')
  if (dates.some(({ from, to }) => from === '' || to === '')) faults.push('noDate')
  else if (dates.some(({ from, to }) => from > to)) faults.push('datesReversed')
  if (holidays?.country === '') faults.push('noCountry')
  return faults
}
