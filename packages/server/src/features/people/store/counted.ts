import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'

/**
 * The account of a user and all above it, nearest first, for limits that apply to whole subtrees. The topmost
 * account contains every user, so it counts only for its own.
 */
export async function readCountedAccounts(db: Executor, userId: number | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select up.id from ${accountsUp(sql`(select account_id from users where users.id = ${userId}::int)`)} up
    join accounts a on a.id = up.id
    where a.parent_id is not null or up.distance = 0
    order by up.distance`.execute(db)
  return rows.map(({ id }) => id)
}
