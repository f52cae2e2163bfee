import { type AlarmAnalysis, alarmAnalysis } from '@leitstand/contract/alarms'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { AlarmCategory, AlarmScopes, AlarmSeverity, AlarmSource } from './store.ts'
import { isVisible } from './store.ts'

export interface AnalysisFilter {
  /** where the days of the period begin, the first one first */
  days: readonly Date[]
  now: Date
  accountIds?: readonly number[] | undefined
  severity?: AlarmSeverity | undefined
  categories?: readonly AlarmCategory[] | undefined
  sources?: readonly AlarmSource[] | undefined
}

interface Sums extends Pick<AlarmAnalysis, 'origins' | 'alarms' | 'open' | 'occurrences' | 'seconds'> {
  /** days with alarms, oldest first; `day` is its place in the period, from 0 */
  days: { day: number; errors: number; warnings: number }[]
}

/** Sums of the alarms of a period that are visible in these scopes: by day, and of what has the most. */
export async function analyseAlarms(
  db: Executor,
  scopes: AlarmScopes,
  { days, now, accountIds, severity, categories, sources }: AnalysisFilter,
): Promise<Sums> {
  const chosen = [
    sql`a.raised_at >= ${days[0] ?? now} and a.raised_at <= ${now}`,
    ...(accountIds ? [sql`a.account_id = any(${[...accountIds]}::int[])`] : []),
    ...(severity ? [sql`a.severity = ${severity}`] : []),
    ...(categories ? [sql`a.category = any(${[...categories]}::text[])`] : []),
    ...(sources ? [sql`a.source = any(${[...sources]}::text[])`] : []),
  ]
  // Summed by what they are about first: who may see it is asked once for each, not for each alarm.
  const { rows } = await sql<Sums>`
    with summed as (
      select a.twin_id, a.connector_id, a.account_id, a.source in ('connector', 'platform') as is_other,
        min(a.source) as source, width_bucket(a.raised_at, ${[...days]}::timestamptz[]) - 1 as day,
        count(*) filter (where a.severity = 'error') as errors, count(*) as alarms,
        count(*) filter (where a.resolved_at is null) as open, sum(a.occurrences) as occurrences,
        sum(extract(epoch from coalesce(a.resolved_at, ${now}) - a.raised_at)) as seconds
      from alarms a where ${sql.join(chosen, sql` and `)}
      group by a.twin_id, a.connector_id, a.account_id, is_other, day),
    seen as materialized (
      select alarms.*, twins.title as twin_title, twins.category as twin_category, connectors.name as connector_name
      from summed as alarms left join twins on twins.id = alarms.twin_id
        left join connectors on connectors.id = alarms.connector_id
      where ${isVisible(scopes)}),
    by_origin as (
      select twin_id, connector_id, account_id, min(source) as source, min(twin_title) as twin_title,
        min(twin_category) as twin_category, min(connector_name) as connector_name,
        sum(alarms) as alarms, sum(occurrences) as occurrences, sum(seconds) as seconds
      from seen group by twin_id, connector_id, account_id
      order by alarms desc, seconds desc, twin_id, connector_id limit ${alarmAnalysis.originsMax})
    select coalesce(sum(alarms), 0)::int as alarms, coalesce(sum(open), 0)::int as open,
      coalesce(sum(occurrences), 0)::float8 as occurrences, coalesce(sum(seconds), 0)::float8 as seconds,
      (select coalesce(jsonb_agg(d order by d.day), '[]') from (
        select day, sum(errors)::int as errors, sum(alarms - errors)::int as warnings
        from seen group by seen.day) as d) as days,
      (select coalesce(jsonb_agg(jsonb_build_object('originId', coalesce(o.twin_id, o.connector_id),
          'originTitle', coalesce(o.twin_title, o.connector_name, ''),
          'originCategory', coalesce(o.twin_category, o.source), 'accountId', o.account_id, 'accountName', c.name,
          'alarms', o.alarms, 'occurrences', o.occurrences, 'seconds', round(o.seconds))
          order by o.alarms desc, o.seconds desc, o.twin_id, o.connector_id), '[]')
        from by_origin o join accounts c on c.id = o.account_id) as origins
    from seen`.execute(db)
  return rows[0] ?? { alarms: 0, open: 0, occurrences: 0, seconds: 0, days: [], origins: [] }
}
