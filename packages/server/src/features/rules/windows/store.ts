import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { orderedValuesOf } from '../../series/index.ts'
import type { Numbers } from './types.ts'

/** A stretch of the history of a state; milliseconds since 1970. */
export interface Stretch {
  stateId: number
  fromMs: number
  /** exclusive; null: to the newest value */
  toMs: number | null
  /** the newest of them, at most */
  max: number
}

/** null: not all of them are numbers */
export type StretchNumbers = Numbers | null

/** The numbers of stretches, in their order: true is 1 and false is 0. */
export async function readStretches(db: Executor, stretches: readonly Stretch[]): Promise<StretchNumbers[]> {
  if (stretches.length === 0) return []
  const dates = (of: (stretch: Stretch) => number | null) =>
    stretches.map((stretch) => {
      const ms = of(stretch)
      return ms === null ? 'infinity' : Number.isFinite(ms) ? new Date(ms).toISOString() : '-infinity'
    })
  const { rows } = await sql<{
    index: number
    times: number[] | null
    numbers: number[] | null
    others: number
  }>`
    /* prepared: rules.readStretches */
    select s.index, n.times, n.numbers, n.others
    from unnest(${stretches.map(({ stateId }) => stateId)}::int[], ${dates(({ fromMs }) => fromMs)}::timestamptz[],
      ${dates(({ toMs }) => toMs)}::timestamptz[], ${stretches.map(({ max }) => max)}::int[])
      with ordinality as s (state_id, start, stop, most, index)
    cross join lateral (
      select array_agg((extract(epoch from time) * 1000)::float8 order by time) as times,
        array_agg(number order by time) as numbers, count(*) filter (where number is null) as others
      from (
        select time, coalesce(num, bool::int::float8) as number from ${orderedValuesOf(
          { state: sql`s.state_id`, since: sql`s.start`, before: sql`s.stop` },
          'desc',
          sql`s.most`,
        )} as v) as v
    ) as n`.execute(db)
  const found: StretchNumbers[] = stretches.map(() => null)
  for (const { index, times, numbers, others } of rows)
    found[index - 1] = Number(others) > 0 ? null : { times: times ?? [], numbers: numbers ?? [] }
  return found
}
