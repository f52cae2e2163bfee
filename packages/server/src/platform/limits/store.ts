import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** Hits of one account, limit and hour since the last write. */
export interface LimitHits {
  accountId: number
  limit: string
  hour: Date
  times: number
  lastAt: Date
  detail: string
}

/** Adds to the stored counts. Accounts that no longer exist are skipped. */
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

/** Deletes all hours before a time. */
export async function deleteHitsBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('limit_hits').where('hour', '<', before).execute()
}

/** Hits of one limit on one day. */
export interface DayOfHits {
  limit: string
  /** e.g. `2026-06-15` */
  day: string
  times: number
  lastAt: Date
  detail: string
}

/** By limit and day of the time zone, oldest first. */
export async function readHits(
  db: Db,
  accountId: number,
  zone: string,
  { from, to }: { from: Date; to: Date },
): Promise<DayOfHits[]> {
  const { rows } = await sql<DayOfHits>`
    select "limit", to_char(hour at time zone ${zone}, 'YYYY-MM-DD') as day,
      least(sum(times), 9007199254740991)::float8 as times, max(last_at) as "lastAt",
      (array_agg(detail order by last_at desc))[1] as detail
    from limit_hits where account_id = ${accountId} and hour >= ${from} and hour <= ${to}
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}
