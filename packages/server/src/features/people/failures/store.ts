import {
  type FailedSignIn,
  failedSignInLimits,
  type failedSignInReasons,
} from '@leitstand/contract/failedSignIns'
import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Db, type Executor } from '../../../platform/db/index.ts'
import { matchesTexts } from '../../../platform/db/textFilter.ts'
import { bounded, type Failure, type FailureKey } from './bounds.ts'

const dayMs = 86_400_000

/**
 * Counts failures of one day to the same ones before them, and deletes what is too old or too much. Two nodes at once
 * exceed the limits of a day by what they write at that moment; the number of all rows never exceeds its limit.
 * @param day `2026-06-15`
 */
export async function storeFailures(
  db: Db,
  day: string,
  failures: readonly Failure[],
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const stored = await findStored(tx, day, failures)
    // In one order on all nodes, so that they do not wait for each other.
    const rows = bounded(failures, stored).toSorted(
      (a, b) => compare(a.network, b.network) || compare(a.name, b.name),
    )
    for (const row of rows) await countFailure(tx, day, row)
    await deleteOld(tx, now)
  })
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

async function findStored(tx: Executor, day: string, failures: readonly Failure[]): Promise<FailureKey[]> {
  const networks = [...new Set(failures.map(({ network }) => network))]
  const names = [...new Set(failures.map(({ name }) => name))]
  const { rows } = await sql<FailureKey>`
    select name, network, reason, code, user_id as "userId", account_id as "accountId" from failed_sign_ins
    where day = ${day} and (network = any(${networks}::text[]) or name = any(${names}::text[]))`.execute(tx)
  return rows
}

/** Users and accounts may have been deleted in the meantime. */
async function countFailure(tx: Executor, day: string, row: Failure): Promise<void> {
  await sql`
    insert into failed_sign_ins as f (day, name, address, network, reason, code, user_id, account_id, first_at, last_at, times)
    values (${day}, ${row.name}, ${row.address}, ${row.network}, ${row.reason}, ${row.code},
      (select id from users where id = ${row.userId}::int), (select id from accounts where id = ${row.accountId}::int),
      ${row.firstAt}, ${row.lastAt}, ${row.times})
    on conflict (day, network, name, reason, code, coalesce(user_id, 0), coalesce(account_id, 0)) do update
    set address = excluded.address, last_at = greatest(f.last_at, excluded.last_at),
      times = least(f.times::bigint + excluded.times, 2147483647)::int`.execute(tx)
}

async function deleteOld(tx: Executor, now: Date): Promise<void> {
  const before = new Date(now.getTime() - failedSignInLimits.keptDays * dayMs)
  await sql`
    delete from failed_sign_ins
    where last_at < ${before}
      or id in (select id from failed_sign_ins order by last_at desc, id desc offset ${failedSignInLimits.keptMax})`.execute(
    tx,
  )
}

interface Wanted {
  offset: number
  limit: number
  search?: string | undefined
  reason?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** @param scopeIds scopes of accounts whose users and providers are shown; null: everything */
export async function listFailures(
  db: Executor,
  scopeIds: readonly number[] | null,
  wanted: Wanted,
): Promise<{ items: FailedSignIn[]; total: number }> {
  const { reason, from, to } = wanted
  let query = db
    .selectFrom('failed_sign_ins as f')
    .leftJoin('users as u', 'u.id', 'f.user_id')
    .leftJoin('accounts as a', (join) => join.on(sql<boolean>`a.id = coalesce(u.account_id, f.account_id)`))
  if (scopeIds !== null)
    query = query.where('a.id', 'in', (part) =>
      part
        .selectFrom('scopes')
        .select('account_id')
        .where('twin_id', 'is', null)
        .where('id', '=', anyOf(scopeIds)),
    )
  const words = parseSearch(wanted.search)
  if (words) query = query.where(matchesTexts([sql`f.name`, sql`f.address`, sql`u.username`], words))
  if (reason !== undefined) query = query.where('f.reason', '=', reason)
  if (from !== undefined) query = query.where('f.last_at', '>=', new Date(from))
  if (to !== undefined) query = query.where('f.last_at', '<', new Date(to))
  const rows = await query
    .select(['f.id', 'f.name', 'f.address', 'f.reason', 'f.code', 'f.times', 'f.first_at', 'f.last_at'])
    .select(['u.id as userId', 'u.username', 'a.id as accountId', 'a.name as accountName'])
    .orderBy('f.last_at', 'desc')
    .orderBy('f.id', 'desc')
    .offset(wanted.offset)
    .limit(wanted.limit)
    .execute()
  const { total } = await query
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const items = rows.map((row) => ({
    id: row.id,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    times: row.times,
    name: row.name,
    address: row.address,
    reason: row.reason as (typeof failedSignInReasons)[number],
    code: row.code || null,
    user: named(row.userId, row.username),
    account: named(row.accountId, row.accountName),
  }))
  return { items, total }
}

function named(id: number | null, name: string | null): { id: number; name: string } | null {
  return id === null || name === null ? null : { id, name }
}
