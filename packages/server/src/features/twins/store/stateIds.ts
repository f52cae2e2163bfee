import { sql } from 'kysely'
import { int4Array } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'

/** The next states of an account after an id, at most `limit`, by id. */
export async function nextStates(
  db: Executor,
  accountId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from states s join twins t on t.id = s.twin_id
    where t.account_id = ${accountId} and s.id > ${after} order by s.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Those of these states that exist. */
export async function existingStates(db: Executor, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from states where id = any(${int4Array(ids)}::int4[])`.execute(db)
  return rows.map(({ id }) => id)
}
