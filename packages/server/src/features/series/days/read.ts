import { type RawBuilder, sql } from 'kysely'

/** A moment: an expression or a value. */
type Bound = RawBuilder<unknown> | Date

/** Which values of a state to read. */
export interface Asked {
  /** expression for the id of the state */
  state: RawBuilder<unknown>
  /** not before */
  since?: Bound
  /** later than */
  after?: Bound
  /** earlier than */
  before?: Bound
  /** not after */
  until?: Bound
  /** a condition on `time`, `num`, `txt`, `bool` and `json` */
  where?: RawBuilder<unknown>
}

/** The columns of a value in the order of the table. */
export const valueColumns = sql`state_id, time, num, txt, bool, json`

/** The arguments of `values_of_day` from a row `packed` of `value_days`; expressions of callers must not use this name. */
export const packedColumns = sql`packed.first_time, packed.step, packed.offsets, packed.micros, packed.factor, packed.smalls,
  packed.ints, packed.nums, packed.txts, packed.bools, packed.jsons`

const moment = (bound: Bound) => sql`${bound}::timestamptz`

/** The condition on single values, without the state. */
function within({ since, after, before, until, where }: Asked): RawBuilder<unknown> {
  const parts = [
    ...(since === undefined ? [] : [sql`time >= ${moment(since)}`]),
    ...(after === undefined ? [] : [sql`time > ${moment(after)}`]),
    ...(before === undefined ? [] : [sql`time < ${moment(before)}`]),
    ...(until === undefined ? [] : [sql`time <= ${moment(until)}`]),
    ...(where === undefined ? [] : [sql`(${where})`]),
  ]
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `)
}

/** The rows of `value_days` that may have such values: each begins on the day of its values. */
function daysWithin({ state, since, after, before, until }: Asked): RawBuilder<unknown> {
  return sql.join(
    [
      sql`state_id = ${state}`,
      ...[since, after].flatMap((bound) =>
        bound === undefined ? [] : [sql`first_time >= date_trunc('day', ${moment(bound)}, 'UTC')`],
      ),
      ...(before === undefined ? [] : [sql`first_time < ${moment(before)}`]),
      ...(until === undefined ? [] : [sql`first_time <= ${moment(until)}`]),
    ],
    sql` and `,
  )
}

/**
 * Subquery with all values of a state in a period, whether they are rows or in compacted days, in no order.
 * Columns: `state_id`, `time`, `num`, `txt`, `bool`, `json`.
 */
export function valuesOf(asked: Asked): RawBuilder<unknown> {
  return sql`(
    select ${valueColumns} from state_values where state_id = ${asked.state} and ${within(asked)}
    union all
    select packed.state_id, u.* from (select * from value_days where ${daysWithin(asked)}) as packed
    cross join lateral (select * from values_of_day(${packedColumns}) where ${within(asked)}) as u)`
}

/** Subquery with the value of a state at a time, in the same columns. */
export function valueAt(state: RawBuilder<unknown>, time: Bound): RawBuilder<unknown> {
  return valuesOf({ state, since: time, until: time })
}

/**
 * Subquery with the first (`asc`) or last (`desc`) values of a state in a period, in this order. Compacted days are read one
 * by one until there are enough values: their order follows from that of the days, so nothing is sorted across days.
 * @param limit number, or an expression; null: all
 */
export function orderedValuesOf(
  asked: Asked,
  order: 'asc' | 'desc',
  limit: RawBuilder<unknown> | number,
): RawBuilder<unknown> {
  const by = order === 'asc' ? sql`asc` : sql`desc`
  return sql`(
    select * from (
      (select ${valueColumns} from state_values where state_id = ${asked.state} and ${within(asked)}
        order by time ${by} limit ${limit})
      union all
      (select packed.state_id, u.* from (
          select * from value_days where ${daysWithin(asked)} order by first_time ${by}) as packed
        cross join lateral (
          select * from values_of_day(${packedColumns}) where ${within(asked)} order by time ${by}) as u
        limit ${limit})) as both_kinds
    order by time ${by} limit ${limit})`
}
