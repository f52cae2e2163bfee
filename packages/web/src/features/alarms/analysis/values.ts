import type { AlarmAnalysis } from '@leitstand/contract/alarms'
import type { ChartPoint } from '../../../ui/chart/types.ts'
import { alarmFilterValues } from '../alarmFilter.ts'

/** Days of the periods that can be chosen. */
export const periods = ['7', '30', '90'] as const
const periodDefault = '30'

type Filters = Readonly<Record<string, readonly string[] | undefined>>

/** What is analysed, from the state of the list; unknown values of an address are left out. */
export function analysisFilter(filters: Filters, accountIds: number[] | undefined) {
  const categories = alarmFilterValues.category.filter((each) => filters.category?.includes(each))
  const severity = (['error', 'warning'] as const).find((each) => each === filters.severity?.[0])
  const groupId = Number(filters.group?.[0])
  return {
    days: Number(periods.find((each) => each === filters.days?.[0]) ?? periodDefault),
    ...(accountIds === undefined ? {} : { accountIds }),
    ...(severity ? { severity } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(Number.isInteger(groupId) && groupId > 0 && groupId < 2 ** 31 ? { groupId } : {}),
  }
}

/** The days of a period with and without alarms, at their beginning in the browser's time zone. */
export function pointsOf(
  { from, to, days }: Pick<AlarmAnalysis, 'from' | 'to' | 'days'>,
  severity: 'errors' | 'warnings',
): ChartPoint[] {
  const counts = new Map(days.map((each) => [each.day, each[severity]]))
  const points: ChartPoint[] = []
  const last = Date.parse(to)
  const day = new Date(from)
  day.setHours(0, 0, 0, 0)
  for (; day.getTime() <= last; day.setDate(day.getDate() + 1))
    points.push([day.getTime(), counts.get(dateOf(day)) ?? 0])
  return points
}

/** As `2026-03-04`, in the browser's time zone. */
function dateOf(day: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** How much more or less than before, in percent, rounded; null: there was nothing before. */
export function changePercent(now: number, before: number): number | null {
  return before === 0 ? null : Math.round((now / before - 1) * 100)
}
