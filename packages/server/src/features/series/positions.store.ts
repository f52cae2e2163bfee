import type { PositionAxis } from '@leitstand/contract/states'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { viewOf } from '../objects/index.ts'
import { orderedValuesOf } from './days/read.ts'

/** A latitude or longitude value of a state. */
export interface Reading {
  stateId: number
  time: Date
  value: number
}

/**
 * Which part of the position of its twin the numbers of a state `s` are; null: none. A linked state takes the place of those
 * whose keys begin with lat or lon.
 */
export const positionAxis = () => sql<PositionAxis | null>`case
  when s.value_type <> 'number' then null
  when s.position_axis is not null then s.position_axis
  when s.key !~* '^(lat|lon)' then null
  when exists (select from ${viewOf('states')} o where o.twin_id = s.twin_id and o.value_type = 'number'
    and o.position_axis = case when s.key ~* '^lat' then 'latitude' else 'longitude' end) then null
  when s.key ~* '^lat' then 'latitude' else 'longitude' end`

/** States that move their twin, see `moveTwins`; at most 20. */
export async function readPositionStates(
  db: Executor,
  twinId: number,
): Promise<{ id: number; axis: PositionAxis }[]> {
  const { rows } = await sql<{ id: number; axis: PositionAxis | null }>`
    select s.id, ${positionAxis()} as axis from ${viewOf('states')} s
    where s.twin_id = ${twinId} and (s.position_axis is not null or s.key ~* '^(lat|lon)')
    order by s.id limit 40`.execute(db)
  return rows.flatMap(({ id, axis }) => (axis === null ? [] : [{ id, axis }])).slice(0, 20)
}

const isNumber = sql`num is not null`

/** The newest numbers of each state in a period, at most `max` per state, ascending by time. */
export async function readNewest(
  db: Executor,
  stateIds: readonly number[],
  { start, end }: { start: Date; end: Date },
  max: number,
): Promise<Reading[]> {
  const { rows } = await sql<Reading>`
    select v.* from unnest(${[...stateIds]}::int[]) as wanted (id),
    lateral (
      select state_id as "stateId", time, num as value
      from ${orderedValuesOf({ state: sql`wanted.id`, since: start, before: end, where: isNumber }, 'desc', max)} as v
    ) as v
    order by v.time, v."stateId"`.execute(db)
  return rows
}

/** The last number of each state before a time. */
export async function readLastBefore(
  db: Executor,
  stateIds: readonly number[],
  moment: Date,
): Promise<Reading[]> {
  const { rows } = await sql<Reading>`
    select v.* from unnest(${[...stateIds]}::int[]) as wanted (id),
    lateral (
      select state_id as "stateId", time, num as value
      from ${orderedValuesOf({ state: sql`wanted.id`, before: moment, where: isNumber }, 'desc', 1)} as v
    ) as v`.execute(db)
  return rows
}
