import { performance } from 'node:perf_hooks'
import type { JsonValue } from '@leitstand/contract/common'
import type { StateOperation } from '@leitstand/contract/rules'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { fromColumns, orderedValuesOf, type ValueRow } from '../../series/index.ts'
import { metricKinds } from './index.ts'
import type { Place } from './types.ts'

/**
 * A look back at one state: its values after `since` (null: all) up to and including `until`, limited to the
 * last n.
 */
export interface Lookback {
  stateId: number
  operation: StateOperation
  since: Date | null
  until: Date
  /** null: every value since, at most `windowValuesMax` */
  lastValues: number | null
}

/**
 * Result of a look back; null when there were no values. `tooMany`: the window exceeds the limit; `tooSlow`: it could not be
 * read in time. `tookUs`: its part of the time that reading took; absent: nothing was read.
 */
export interface LookbackAnswer {
  value: JsonValue
  tooMany: boolean
  tooSlow?: true
  tookUs?: number
}

/**
 * Maximum values read for a metric: about a month of one every minute. A larger window is an error instead of
 * a partial result.
 */
export const windowValuesMax = 50_000

/** Answers many look backs, in their order, with one query per operation. */
export async function lookBack(db: Executor, lookbacks: readonly Lookback[]): Promise<LookbackAnswer[]> {
  const answers: LookbackAnswer[] = lookbacks.map(() => ({ value: null, tooMany: false }))
  const groups = Map.groupBy(lookbacks.keys(), (index) => lookbacks[index]?.operation ?? 'latest')
  for (const [operation, indexes] of groups) {
    const group = indexes.map((index) => lookbacks[index] as Lookback)
    const { look } = metricKinds[operation]
    const started = performance.now()
    const rows = await ('value' in look ? readOne(db, group, look.value) : reduce(db, group, look.number))
    const tookUs = (performance.now() - started) * 1000
    const seen = rows.reduce((sum, { seen }) => sum + seen, 0)
    for (const { index, seen: ofThis, answer } of rows)
      answers[indexes[index] as number] = { ...answer, tookUs: (tookUs * ofThis) / seen }
  }
  return answers
}

/** The newest or oldest value of each window. */
async function readOne(db: Executor, lookbacks: readonly Lookback[], which: 'newest' | 'oldest') {
  // The newest value of a window is also the newest of the last n; the oldest of all is one look-up.
  const last = lookbacks.map(({ lastValues }) => (which === 'newest' ? 1 : lastValues))
  const order = which === 'newest' ? sql`desc` : sql`asc`
  const { rows } = await sql<ValueRow & { index: number }>`
    select r.index, v.* from ${requests(lookbacks, last)}
    cross join lateral (
      (select time, num, txt, bool, json from ${windowOf()} as w where r.last_values is not null
        order by time ${order} limit 1)
      union all
      (select time, num, txt, bool, json from ${orderedValuesOf(
        {
          state: sql`r.state_id`,
          after: sql`coalesce(r.since, '-infinity')`,
          until: sql`r.until`,
          where: sql`r.last_values is null`,
        },
        'asc',
        1,
      )} as v)
    ) as v`.execute(db)
  return rows.map((row) => ({
    index: row.index - 1,
    seen: 1,
    answer: { value: fromColumns(row), tooMany: false },
  }))
}

/** A number computed from all values of each window. */
async function reduce(db: Executor, lookbacks: readonly Lookback[], number: RawBuilder<number | null>) {
  const last = lookbacks.map(({ lastValues }) => limitOf(lastValues))
  const { rows } = await sql<{ index: number; seen: number; value: number | null }>`
    select r.index, v.* from ${requests(lookbacks, last)}
    cross join lateral (
      select count(*) as seen, (${number})::float8 as value
      from (select time, coalesce(num, bool::int::float8) as number from ${windowOf()} as w) as n
    ) as v`.execute(db)
  return rows.map((row) => ({
    index: row.index - 1,
    seen: 1 + row.seen,
    answer: answerOf(row.value, row.seen),
  }))
}

function requests(lookbacks: readonly Lookback[], last: readonly (number | null)[]): RawBuilder<unknown> {
  return sql`unnest(${lookbacks.map(({ stateId }) => stateId)}::int[], ${lookbacks.map(({ since }) => since)}::timestamptz[],
    ${lookbacks.map(({ until }) => until)}::timestamptz[], ${[...last]}::int[])
    with ordinality as r (state_id, since, until, last_values, index)`
}

function windowOf(): RawBuilder<unknown> {
  return sql`(
    select time, num, txt, bool, json from ${orderedValuesOf(
      { state: sql`r.state_id`, after: sql`coalesce(r.since, '-infinity')`, until: sql`r.until` },
      'desc',
      sql`r.last_values`,
    )} as v)`
}

/** One more than the limit, to detect that there are too many. */
function limitOf(lastValues: number | null): number {
  return lastValues ?? windowValuesMax + 1
}

function answerOf(value: JsonValue, seen: number): LookbackAnswer {
  return seen > windowValuesMax ? { value: null, tooMany: true } : { value, tooMany: false }
}

/** What metrics without a state need of twins, by id. */
export async function readPlaces(db: Executor, twinIds: readonly number[]): Promise<Map<number, Place>> {
  if (twinIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('twins')
    .innerJoin('accounts', 'accounts.id', 'twins.account_id')
    .select(['twins.id', 'twins.key_values', 'twins.latitude', 'twins.longitude', 'accounts.time_zone'])
    .where('twins.id', '=', anyOf(twinIds))
    .execute()
  return new Map(
    rows.map(({ id, key_values, latitude, longitude, time_zone: timeZone }) => [
      id,
      { timeZone, keyValues: key_values as Place['keyValues'], latitude, longitude },
    ]),
  )
}
