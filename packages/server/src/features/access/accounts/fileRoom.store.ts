import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** Accounts from this one up that bound their files, locked against each other in the same order everywhere. */
export async function lockFileLimits(
  tx: Executor,
  id: number,
): Promise<{ id: number; name: string; scopeId: number; megabytes: number }[]> {
  const { rows } = await sql<{ id: number; name: string; scopeId: number; megabytes: number }>`
    with recursive up as (
      select id, parent_id from accounts where id = ${id}
      union all
      select a.id, a.parent_id from accounts a join up on a.id = up.parent_id)
    select a.id, a.name, s.id as "scopeId", a.file_megabytes as megabytes
    from accounts a join scopes s on s.account_id = a.id and s.twin_id is null
    where a.id in (select id from up) and a.file_megabytes is not null
    order by a.id for no key update of a`.execute(tx)
  return rows
}

/** Bytes of the files of an account and of all below it. */
export async function sumFiles(db: Executor, id: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    with recursive below as (
      select id from accounts where id = ${id}
      union all
      select a.id from accounts a join below on a.parent_id = below.id)
    select coalesce(sum(size), 0)::bigint as bytes from files where account_id in (select id from below)`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0
}
