import { type AlarmAnalysis, alarmAnalysis } from '@leitstand/contract/alarms'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { Members } from '../groups/index.ts'
import type { AlarmCategory, AlarmScopes, AlarmSeverity, AlarmSource } from './store.ts'
import { isAmongVisible, isVisible } from './store.ts'

export interface AnalysisFilter {
  accountIds?: readonly number[] | undefined
  severity?: AlarmSeverity | undefined
  categories?: readonly AlarmCategory[] | undefined
  sources?: readonly AlarmSource[] | undefined
  /** only of these devices */
  members?: Members | undefined
}

interface Period {
  from: Date
  /** excluded */
  to: Date
}

type Totals = AlarmAnalysis['previous']

interface Sums extends Totals, Pick<AlarmAnalysis, 'origins' | 'longest' | 'open'> {}

/** Conditions of the alarms of a period. */
function chosen(
  { from, to }: Period,
  { accountIds, severity, categories, sources, members }: AnalysisFilter,
): RawBuilder<boolean> {
  const conditions = [
    sql`a.raised_at >= ${from} and a.raised_at < ${to}`,
    ...(accountIds ? [sql`a.account_id = any(${[...accountIds]}::int[])`] : []),
    ...(severity ? [sql`a.severity = ${severity}`] : []),
    ...(categories ? [sql`a.category = any(${[...categories]}::text[])`] : []),
    ...(sources ? [sql`a.source = any(${[...sources]}::text[])`] : []),
    ...(members
      ? [sql`a.twin_id in (select ${members.id} from ${members.from} where ${members.where})`]
      : []),
  ]
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

/**
 * `seen`: sums of the alarms of a period that are visible in these scopes, by what they are about. They are summed first,
 * so that who may see them is asked once for each of these, not for each alarm.
 */
function seenAlarms(scopes: AlarmScopes, period: Period, filter: AnalysisFilter): RawBuilder<unknown> {
  const { to } = period
  return sql`
    summed as (
      select a.twin_id, a.connector_id, a.account_id,
        case when a.twin_id is null then case when a.connector_id is null then 'platform' else 'connector' end end
          as source, count(*) as alarms,
        count(*) filter (where a.resolved_at is null) as open, sum(a.occurrences) as occurrences,
        sum(least(a.resolved_at, ${to}) - a.raised_at) as lasted
      from alarms a where ${chosen(period, filter)}
      group by a.twin_id, a.connector_id, a.account_id),
    seen as materialized (
      select alarms.*, extract(epoch from alarms.lasted)::float8 as seconds, twins.title as twin_title,
        twins.category as twin_category, connectors.name as connector_name
      from summed as alarms left join twins on twins.id = alarms.twin_id
        left join connectors on connectors.id = alarms.connector_id
      where ${isVisible(scopes)})`
}

const totals = sql`coalesce(sum(alarms), 0)::int as alarms, coalesce(sum(occurrences), 0)::float8 as occurrences,
  coalesce(sum(seconds), 0)::float8 as seconds`
const none: Totals = { alarms: 0, occurrences: 0, seconds: 0 }

/** Sums of the alarms of a period that are visible in these scopes, and what has the most and the longest. */
export async function analyseAlarms(
  db: Executor,
  scopes: AlarmScopes,
  period: Period,
  filter: AnalysisFilter,
): Promise<Sums> {
  const ranked = (order: RawBuilder<unknown>) => sql`(
    select coalesce(jsonb_agg(jsonb_build_object('originId', coalesce(o.twin_id, o.connector_id),
        'originTitle', coalesce(o.twin_title, o.connector_name, ''),
        'originCategory', coalesce(o.twin_category, o.source), 'accountId', o.account_id, 'accountName', c.name,
        'alarms', o.alarms, 'occurrences', o.occurrences, 'seconds', round(o.seconds)) order by ${order}), '[]')
    from (select * from seen as o order by ${order} limit ${alarmAnalysis.originsMax}) as o
      join accounts c on c.id = o.account_id)`
  const { rows } = await sql<Sums>`
    with ${seenAlarms(scopes, period, filter)}
    select ${totals}, coalesce(sum(open), 0)::int as open,
      ${ranked(sql`o.alarms desc, o.seconds desc, o.twin_id, o.connector_id`)} as origins,
      ${ranked(sql`o.seconds desc, o.alarms desc, o.twin_id, o.connector_id`)} as longest
    from seen`.execute(db)
  return rows[0] ?? { ...none, open: 0, origins: [], longest: [] }
}

/** Only how many, how often and how long, of a period. */
export async function sumAlarms(
  db: Executor,
  scopes: AlarmScopes,
  period: Period,
  filter: AnalysisFilter,
): Promise<Totals> {
  const { rows } = await sql<Totals>`
    with ${seenAlarms(scopes, period, filter)} select ${totals} from seen`.execute(db)
  return rows[0] ?? none
}

/**
 * Alarms by day, as far as they are visible in these scopes.
 * @param days where they begin, the first one first
 * @param to end of the last one
 * @returns days with alarms, oldest first; `day` is its place among them, from 0
 */
export async function countByDay(
  db: Executor,
  scopes: AlarmScopes,
  { days, to }: { days: readonly Date[]; to: Date },
  filter: AnalysisFilter,
): Promise<{ day: number; errors: number; warnings: number }[]> {
  const period = { from: days[0] ?? to, to }
  const { rows } = await sql<{ day: number; errors: number; warnings: number }>`
    select day, errors::int, (alarms - errors)::int as warnings from (
      select width_bucket(a.raised_at, ${[...days]}::timestamptz[]) - 1 as day,
        count(*) filter (where a.severity = 'error') as errors, count(*) as alarms
      from alarms a where ${chosen(period, filter)} and ${isAmongVisible(scopes)} group by day) as counted
    order by day`.execute(db)
  return rows
}
