import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { Use } from '../../platform/uses.ts'
import type { ObjectKind, UsedKind } from './kinds.ts'

/**
 * Records what objects refer to, in the transaction that stores their definitions. A trigger deletes it with
 * them.
 */
export async function recordUses(
  tx: Executor,
  userKind: ObjectKind,
  things: readonly { id: number; uses: readonly Use[] }[],
): Promise<void> {
  const rows = things.flatMap(({ id, uses }) => uses.map((use) => ({ ...use, user: id })))
  await sql`
    with wanted as (
      select distinct ${userKind}::text as user_kind, * from unnest(${rows.map(({ user }) => user)}::int[],
        ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ id }) => id)}::int[],
        ${rows.map(({ note }) => note)}::text[]) as r (user_id, used_kind, used_id, note)),
    gone as (
      delete from uses u where user_kind = ${userKind} and user_id = any(${things.map(({ id }) => id)}::int[])
        and not exists (select from wanted w
          where (w.user_id, w.used_kind, w.used_id, w.note) = (u.user_id, u.used_kind, u.used_id, u.note)))
    insert into uses (user_kind, user_id, used_kind, used_id, note) select * from wanted on conflict do nothing`.execute(
    tx,
  )
}

/** Those of these objects that definitions refer to. */
export async function findRecorded(
  db: Executor,
  kind: UsedKind,
  ids: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select distinct used_id as id from uses
    where used_kind = ${kind} and used_id = any(${[...ids]}::int[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** The recorded references of objects with ids in a range, both ends included. */
export async function readRecorded(
  db: Executor,
  userKind: ObjectKind,
  from: number,
  to: number,
): Promise<(Use & { user: number })[]> {
  const { rows } = await sql<Use & { user: number }>`
    select user_id as user, used_kind as kind, used_id as id, note from uses
    where user_kind = ${userKind} and user_id between ${from} and ${to}
    order by user_id, used_kind, used_id, note`.execute(db)
  return rows
}
