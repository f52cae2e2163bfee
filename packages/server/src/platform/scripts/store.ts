import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** The top-level account above an account, or the account itself; also itself when it no longer exists. */
export async function topAccountOf(db: Db, accountId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with recursive above as (
      select id, parent_id from accounts where id = ${accountId}
      union all
      select accounts.id, accounts.parent_id from accounts join above on accounts.id = above.parent_id
    )
    select above.id from above
    left join accounts parent on parent.id = above.parent_id
    where parent.id is null or parent.parent_id is null
    order by above.parent_id nulls last limit 1`.execute(db)
  return rows[0]?.id ?? accountId
}
