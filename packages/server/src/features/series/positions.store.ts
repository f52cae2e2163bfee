import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { viewOf } from '../objects/index.ts'

/** A latitude or longitude value of a state. */
export interface Reading {
  stateId: number
  time: Date
  value: number
}

/** States that move their twin, see `moveTwins`; at most 20. */
export async function readPositionStates(
  db: Executor,
  twinId: number,
): Promise<{ id: number; key: string }[]> {
  return db
    .selectFrom(viewOf('states').as('s'))
    .select(['id', 'key'])
    .where('twin_id', '=', twinId)
    .where('value_type', '=', 'number')
    .where(sql<boolean>`key ~* '^(lat|lon)'`)
    .orderBy('id')
    .limit(20)
    .execute()
}

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
      select state_id as "stateId", time, num as value from state_values
      where state_id = wanted.id and time >= ${start} and time < ${end} and num is not null
      order by time desc limit ${max}
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
      select state_id as "stateId", time, num as value from state_values
      where state_id = wanted.id and time < ${moment} and num is not null
      order by time desc limit 1
    ) as v`.execute(db)
  return rows
}
