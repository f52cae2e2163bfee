import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** What was counted for one account, limit and hour since it was last written. */
export interface LimitHits {
  accountId: number
  limit: string
  hour: Date
  times: number
  lastAt: Date
  detail: string
}

/** Adds to what is there. Accounts that no longer exist are left out. */
export async function addHits(db: Db, hits: readonly LimitHits[]): Promise<void> {
  if (hits.length === 0) return
  await sql`
    insert into limit_hits (account_id, "limit", hour, times, last_at, detail)
    select each.* from unnest(
      ${hits.map((hit) => hit.accountId)}::bigint[],
      ${hits.map((hit) => hit.limit)}::text[],
      ${hits.map((hit) => hit.hour)}::timestamptz[],
      ${hits.map((hit) => hit.times)}::bigint[],
      ${hits.map((hit) => hit.lastAt)}::timestamptz[],
      ${hits.map((hit) => hit.detail)}::text[]
    ) as each (account_id, "limit", hour, times, last_at, detail)
    where exists (select from accounts where accounts.id = each.account_id)
    on conflict (account_id, "limit", hour) do update set
      times = limit_hits.times + excluded.times,
      last_at = greatest(limit_hits.last_at, excluded.last_at),
      detail = excluded.detail`.execute(db)
}

/** Deletes the hours before a time. */
export async function deleteHitsBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('limit_hits').where('hour', '<', before).execute()
}
