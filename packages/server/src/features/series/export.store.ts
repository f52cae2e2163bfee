import type { JsonValue } from '@leitstand/contract/common'
import { sql } from 'kysely'
import { int4Array } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import { orderedValuesOf } from './days/read.ts'
import { fromColumns, type ValueRow } from './values.ts'

/** A stored value with its time in milliseconds since 1970. */
export interface TimedRow {
  stateId: number
  timeMs: number
  value: JsonValue
}

/** Values of states in a range (end excluded), oldest first: of each state at most the first `limit`. */
export async function readAfter(
  db: Executor,
  { stateIds, start, end, limit }: { stateIds: readonly number[]; start: Date; end: Date; limit: number },
): Promise<TimedRow[]> {
  const { rows } = await sql<ValueRow & { state_id: number; ms: number }>`
    select v.* from unnest(${int4Array([...stateIds])}::int4[]) with ordinality as wanted (id, place),
    lateral (
      select state_id, (extract(epoch from time) * 1000)::float8 as ms, num, txt, bool, json
      from ${orderedValuesOf({ state: sql`wanted.id`, since: start, before: end }, 'asc', limit)} as v
    ) as v
    order by wanted.place, v.ms`.execute(db)
  return rows.map(toRow)
}

/** The last value of each state before a time; states without one are missing. */
export async function readLastBefore(
  db: Executor,
  stateIds: readonly number[],
  before: Date,
): Promise<TimedRow[]> {
  const { rows } = await sql<ValueRow & { state_id: number; ms: number }>`
    select v.* from unnest(${int4Array([...stateIds])}::int4[]) as wanted (id),
    lateral (
      select state_id, (extract(epoch from time) * 1000)::float8 as ms, num, txt, bool, json
      from ${orderedValuesOf({ state: sql`wanted.id`, before }, 'desc', 1)} as v
    ) as v`.execute(db)
  return rows.map(toRow)
}

const toRow = (row: ValueRow & { state_id: number; ms: number }): TimedRow => ({
  stateId: row.state_id,
  timeMs: Math.round(row.ms),
  value: fromColumns(row),
})
