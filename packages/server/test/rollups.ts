import type { JsonValue } from '@leitstand/contract/common'
import { type AggregationDuration, aggregationMethods } from '@leitstand/contract/series'
import { type RawBuilder, sql } from 'kysely'
import { expect } from 'vitest'
import { type IntervalRow, readIntervals, readTotals } from '../src/features/series/aggregates.store.ts'
import {
  fromColumns,
  numbersOf,
  reduceNumbers,
  typeOf,
  type ValueRow,
  valuesOf,
} from '../src/features/series/index.ts'
import type { Db } from '../src/platform/db/index.ts'
import type { TestApp } from './kit.ts'

export interface SeriesValue {
  stateId: number
  value: JsonValue
  time: Date
}

/**
 * Stores values directly, of any type and for states that need not exist; the last one of the same time wins.
 */
export async function writeValues(
  app: TestApp,
  values: readonly SeriesValue[],
  { noted = true } = {},
): Promise<void> {
  await app.app.series.prepareMonths(
    'state_values',
    values.map(({ time }) => time),
  )
  const rows = [...new Map(values.map((each) => [`${each.stateId} ${each.time.getTime()}`, each])).values()]
  const column = <T>(type: string, of: (value: JsonValue) => T) =>
    rows.map(({ value }) => (typeOf(value) === type ? of(value) : null))
  await app.ctx.db.transaction().execute(async (tx) => {
    await sql`
      insert into state_values (state_id, time, num, txt, bool, json)
      select state_id, time, num, txt, bool, json::jsonb
      from unnest(${rows.map(({ stateId }) => stateId)}::int[], ${rows.map(({ time }) => time)}::timestamptz[],
        ${column('number', Number)}::float8[], ${column('text', String)}::text[],
        ${column('boolean', Boolean)}::boolean[], ${column('json', (value) => JSON.stringify(value))}::text[])
        as v (state_id, time, num, txt, bool, json)
      on conflict (state_id, time) do update
        set num = excluded.num, txt = excluded.txt, bool = excluded.bool, json = excluded.json`.execute(tx)
    if (noted) await app.app.series.noteChanges(tx, values)
  })
}

/** Compares every aggregation method, read like chart data, with a computation from the values. */
export async function compareWithValues(
  db: Db,
  stateIds: readonly number[],
  range: { start: Date; end: Date },
  duration: AggregationDuration,
  timeZone: string,
): Promise<void> {
  const values = await valuesWithin(db, stateIds, range, duration, timeZone)
  for (const method of aggregationMethods) {
    const found = await readIntervals(db, stateIds, range, {
      method,
      duration,
      timeZone,
      extremes: true,
      latest: true,
    })
    const expected = [
      ...Map.groupBy(values, ({ stateId, startMs: start }) => `${stateId} ${start}`).values(),
    ].map((group): IntervalRow => {
      const numbers = numbersOf(group.map(({ value }) => value))
      const latest = (group.at(-1) as (typeof group)[number]).value
      const reduced =
        method === 'latest' ? latest : method === 'count' ? group.length : reduceNumbers(method, numbers)
      const [{ stateId, startMs: start }] = group as [(typeof group)[number]]
      return {
        stateId,
        startMs: start,
        value: reduced,
        latest,
        min: reduceNumbers('min', numbers),
        max: reduceNumbers('max', numbers),
      }
    })
    expect(found, `${method} by ${duration} in ${timeZone}`).toEqual(expected)
  }
  const totals = [...Map.groupBy(values, ({ stateId }) => stateId)].map(([stateId, group]) => {
    const numbers = numbersOf(group.map(({ value }) => value))
    const [avg, sum, min, max] = (['avg', 'sum', 'min', 'max'] as const).map((method) =>
      reduceNumbers(method, numbers),
    )
    return [stateId, { avg, sum, min, max, lastTime: group.at(-1)?.time }]
  })
  expect(Object.fromEntries(await readTotals(db, stateIds, range)), 'totals').toEqual(
    Object.fromEntries(totals),
  )
}

/** All values of a range, by state and time, with the start of the interval each lies in. */
async function valuesWithin(
  db: Db,
  stateIds: readonly number[],
  range: { start: Date; end: Date },
  duration: AggregationDuration,
  timeZone: string,
): Promise<(SeriesValue & { startMs: number })[]> {
  const truncated = (unit: string): RawBuilder<Date> => sql`date_trunc(${unit}, time, ${timeZone})`
  const local = sql`(time at time zone ${timeZone})`
  // An hour also ends at a clock change: on Lord Howe it is half an hour.
  const changes = ['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z'].map((iso) => new Date(iso))
  const hour =
    timeZone === 'Australia/Lord_Howe'
      ? sql<Date>`greatest(date_trunc('hour', time, ${timeZone}),
        (select max(c) from unnest(${changes}::timestamptz[]) as c where c <= time))`
      : truncated('hour')
  const buckets: Record<AggregationDuration, RawBuilder<Date>> = {
    '5m': sql`to_timestamp(floor(extract(epoch from time) / 300) * 300)`,
    '15m': sql`to_timestamp(floor(extract(epoch from time) / 900) * 900)`,
    '1h': hour,
    '6h': sql`((date_trunc('day', ${local}) + interval '6 hours' * floor(extract(hour from ${local}) / 6))
      at time zone ${timeZone})`,
    '1d': truncated('day'),
    '1w': truncated('week'),
    '1mo': truncated('month'),
  }
  const { rows } = await sql<ValueRow & { state_id: number; time: Date; start: Date }>`
    select state_id, time, num, txt, bool, json, ${buckets[duration]} as start
    from unnest(${[...stateIds]}::int[]) as w (id)
    cross join lateral ${valuesOf({ state: sql`w.id`, since: range.start, before: range.end })} as v
    order by state_id, time`.execute(db)
  return rows.map((row) => ({
    stateId: row.state_id,
    time: row.time,
    value: fromColumns(row),
    startMs: row.start.getTime(),
  }))
}

/** Roll-ups that do not match the values, are superfluous or missing; for states without pending work. */
export async function wrongRollups(db: Db, stateIds: readonly number[]): Promise<unknown[]> {
  const ids = sql`${[...stateIds]}::int[]`
  const columns = sql`total, count, sum, min, max, first_time, last_time`
  const expected = (length: string) => sql`
    select state_id, date_bin(${length}::interval, time, timestamptz '2000-01-01 00:00+00') as start,
      count(*)::int as total, count(number)::int as count, sum(number) as sum, min(number) as min, max(number) as max,
      min(time) as first_time, max(time) as last_time
    from (select v.*, coalesce(num, bool::int::float8) as number
      from unnest(${ids}) as w (id) cross join lateral ${valuesOf({ state: sql`w.id` })} as v) as v
    group by 1, 2`
  const differences = (table: string, length: string, expectedRows = expected(length)) => sql`
    select ${table} as table, to_jsonb(w) as row from (
      (select state_id, start, ${columns} from (${expectedRows}) as e
        except select state_id, start, ${columns} from ${sql.table(table)})
      union all
      (select state_id, start, ${columns} from ${sql.table(table)} where state_id = any(${ids})
        except select state_id, start, ${columns} from (${expectedRows}) as e)) as w`
  // The 5-minute roll-ups of an hour all exist or none: they exist if there are at most half as many as its
  // values.
  const fives = sql`
    select * from (select *, sum(total) over hour >= 2 * count(*) over hour as fine from (${expected('5 minutes')}) as s
      window hour as (partition by state_id, date_bin('1 hour', start, timestamptz '2000-01-01 00:00+00'))) as s
    where fine`
  const { rows } = await sql`
    ${differences('state_rollups_1d', '24 hours')}
    union all ${differences('state_rollups_1h', '1 hour')}
    union all ${differences('state_rollups_5m', '5 minutes', fives)}
    union all select 'pending', to_jsonb(p) from rollup_pending p where state_id = any(${ids})
    union all select 'changes', to_jsonb(c) from series_changes c`.execute(db)
  return rows
}
