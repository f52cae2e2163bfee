import type { JsonValue } from '@leitstand/contract/common'
import type { AggregationDuration, AggregationMethod } from '@leitstand/contract/series'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { fromColumns, type ValueRow } from './values.ts'

/** One interval of one state: start in milliseconds and what was asked for. */
export interface IntervalRow {
  stateId: number
  startMs: number
  value: JsonValue
  min: number | null
  max: number | null
  latest: JsonValue
}

const fixed: Partial<Record<AggregationDuration, string>> = { '5m': '5 minutes', '15m': '15 minutes' }
const field: Partial<Record<AggregationDuration, string>> = {
  '1h': 'hour',
  '1d': 'day',
  '1w': 'week',
  '1mo': 'month',
}

/** SQL for the start of the interval a time falls into; the counterpart of `intervalStart`. */
function bucketOf(duration: AggregationDuration, timeZone: string): RawBuilder<Date> {
  const interval = fixed[duration]
  if (interval !== undefined)
    return sql`date_bin(${interval}::interval, time, timestamptz '2000-01-01 00:00:00+00')`
  const unit = field[duration]
  if (unit !== undefined) return sql`date_trunc(${unit}, time, ${timeZone})`
  return sql`(date_trunc('day', time at time zone ${timeZone})
    + interval '6 hours' * floor(extract(hour from time at time zone ${timeZone}) / 6)) at time zone ${timeZone}`
}

const reducers: Record<Exclude<AggregationMethod, 'latest'>, RawBuilder<number>> = {
  avg: sql`avg(number)`,
  min: sql`min(number)`,
  max: sql`max(number)`,
  sum: sql`sum(number)`,
  median: sql`percentile_cont(0.5) within group (order by number)`,
  count: sql`count(*)::float8`,
}

/**
 * Values by interval, ascending. Numbers only, with true as 1 and false as 0, except `latest` and `count`, which take
 * values of every type. Intervals without values are missing.
 */
export async function readIntervals(
  db: Executor,
  stateIds: readonly number[],
  range: { start: Date; end: Date },
  options: {
    method: AggregationMethod
    duration: AggregationDuration
    timeZone: string
    extremes: boolean
    latest: boolean
  },
): Promise<IntervalRow[]> {
  const latest = options.latest || options.method === 'latest'
  const last = (column: string) =>
    latest ? sql`(array_agg(${sql.ref(column)} order by time desc))[1]` : sql`null`
  const value = options.method === 'latest' ? sql<number | null>`null::float8` : reducers[options.method]
  const { rows } = await sql<
    ValueRow & {
      state_id: number
      start_ms: number
      value: number | null
      low: number | null
      high: number | null
    }
  >`
    select state_id, extract(epoch from bucket)::float8 * 1000 as start_ms, ${value}::float8 as value,
      ${options.extremes ? sql`min(number)` : sql`null`}::float8 as low,
      ${options.extremes ? sql`max(number)` : sql`null`}::float8 as high,
      ${last('num')}::float8 as num, ${last('txt')}::text as txt, ${last('bool')}::boolean as bool, ${last('json')}::jsonb as json
    from (
      select state_id, time, num, txt, bool, json, coalesce(num, bool::int::float8) as number,
        ${bucketOf(options.duration, options.timeZone)} as bucket
      from state_values
      where state_id = any(${[...stateIds]}::int[]) and time >= ${range.start} and time < ${range.end}
    ) as v
    group by state_id, bucket
    order by state_id, bucket`.execute(db)
  return rows.map((row) => ({
    stateId: row.state_id,
    startMs: Math.round(row.start_ms),
    value: options.method === 'latest' ? fromColumns(row) : row.value,
    min: row.low,
    max: row.high,
    latest: latest ? fromColumns(row) : null,
  }))
}
