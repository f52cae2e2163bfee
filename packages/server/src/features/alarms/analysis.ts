import type { AlarmAnalysis } from '@leitstand/contract/alarms'
import { DateTime } from 'luxon'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { groupMembers } from '../groups/index.ts'
import { type AnalysisFilter, analyseAlarms, countByDay, sumAlarms } from './analysis.store.ts'
import type { AlarmScopes } from './store.ts'

interface Asked extends Omit<AnalysisFilter, 'members'> {
  /** how many, the one that has begun included */
  days: number
  timeZone: string
  groupId?: number | undefined
}

/**
 * Sums of the alarms of the last days, and of as long a time before.
 * @throws AppError SMART_GROUP_NOT_FOUND
 */
export async function analysisOf(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  caller: Caller,
  scopes: AlarmScopes,
  { days: count, timeZone, groupId, ...rest }: Asked,
): Promise<AlarmAnalysis> {
  const to = clock.now()
  const today = DateTime.fromJSDate(to, { zone: timeZone }).startOf('day')
  const days = Array.from({ length: count }, (_, n) => today.minus({ days: count - 1 - n }))
  const from = (days[0] ?? today).toJSDate()
  const members =
    groupId === undefined ? undefined : await groupMembers(db, caller, groupId, { now: to, tables: ['twin'] })
  const filter = { ...rest, members }
  const begins = days.map((day) => day.toJSDate())
  const before = { from: new Date(2 * from.getTime() - to.getTime()), to: from }
  const [sums, byDay, previous] = await Promise.all([
    analyseAlarms(db, scopes, { from, to }, filter),
    countByDay(db, scopes, { days: begins, to }, filter),
    sumAlarms(db, scopes, before, filter),
  ])
  return {
    ...sums,
    previous,
    from: from.toISOString(),
    to: to.toISOString(),
    days: byDay.map(({ day, ...each }) => ({ ...each, day: days[day]?.toISODate() as string })),
  }
}
