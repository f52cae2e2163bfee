import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'

/**
 * The account of a user and all above it, nearest first: where bounds count for whole subtrees. The topmost account holds
 * everybody and says nothing; it counts for its own users alone.
 */
export async function readCountedAccounts(db: Executor, userId: number | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select up.id from ${accountsUp(sql`(select account_id from users where users.id = ${userId}::int)`)} up
    join accounts a on a.id = up.id
    where a.parent_id is not null or up.distance = 0
    order by up.distance`.execute(db)
  return rows.map(({ id }) => id)
}
