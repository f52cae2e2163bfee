import { sql } from 'kysely'
import type { Executor } from '../../../../platform/db/index.ts'

/** The connector with this user name on the built-in broker. */
export async function findByUsername(db: Executor, username: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from connectors where kind = 'mqtt-broker' and settings ->> 'username' = ${username}`.execute(
    db,
  )
  return rows[0]?.id
}
