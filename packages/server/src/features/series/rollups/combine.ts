import { type RawBuilder, sql } from 'kysely'

// SQL fragments for the columns of roll-ups, from values and from smaller roll-ups. The stores use them.

/** The number of a value: true counts as 1, false as 0; null for texts and JSON. */
export const numberOf: RawBuilder<number | null> = sql`coalesce(num, bool::int::float8)`

/** Sums with numbers of at least this size could overflow in the database; they are null. */
const summable = sql`1e290`

/** The column `number` as a summand; null when it is too large. */
export const summandOf: RawBuilder<number | null> = sql`
  case when number > -${summable} and number < ${summable} then number end`

/** Sum of the column `number`; null without numbers and when one is too large to be added. */
const safeSum = sql`
  case when greatest(max(number), -min(number)) < ${summable}
    then sum(number) filter (where number > -${summable} and number < ${summable}) end`

/** Sum of the column `sum` of smaller roll-ups, under the same rule. */
const sumOfSums = sql`case when count(*) filter (where sum is null and count > 0) = 0 then sum(sum) end`

/** Columns of a roll-up from rows with `time` and `number`. */
export const fromValues = sql`
  count(*)::int as total, count(number)::int as count, ${safeSum} as sum,
  min(number) as min, max(number) as max, min(time) as first_time, max(time) as last_time`

/** The same columns from smaller roll-ups. */
export const fromRollups = sql`
  sum(total)::int as total, sum(count)::int as count, ${sumOfSums} as sum,
  min(min) as min, max(max) as max, min(first_time) as first_time, max(last_time) as last_time`

/** The names of these columns, for copying. */
export const rollupColumns = sql`first_time, last_time, sum, min, max, count, total`

/** Origin of all UTC intervals. */
export const origin = sql`timestamptz '2000-01-01 00:00:00+00'`
