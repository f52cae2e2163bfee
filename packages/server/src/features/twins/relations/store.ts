import { parseSearch } from '@leitstand/contract/search'
import type { UserRelation } from '@leitstand/contract/userRelations'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'

/** Display name of a user. */
const userName = sql<string>`coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username)`

/** The scope of an object and its ancestors. */
const upFrom = (scopeId: number) => sql`
  with recursive up (id, parent_id) as (
    select id, parent_id from scopes where id = ${scopeId}
    union all
    select s.id, s.parent_id from scopes s join up on s.id = up.parent_id)`

/** Responsible users of an object in this scope, by responsibility and name. */
export async function listRelations(db: Executor, twinId: number, scopeId: number): Promise<UserRelation[]> {
  const { rows } = await sql<UserRelation>`${upFrom(scopeId)}
    select u.id as "userId", ${userName} as name, r.responsibility,
      u.active and exists (select from user_access a join up on up.id = a.scope_id where a.user_id = u.id) as active
    from twin_user_relations r join users u on u.id = r.user_id
    where r.twin_id = ${twinId}
    order by r.responsibility desc, ${userName} collate natural_order, u.id`.execute(db)
  return rows
}

interface Candidate {
  userId: number
  name: string
}

/**
 * Active users with a role that covers a scope and is granted in a scope visible to the viewer.
 * @param filter.userId only this user
 */
export async function findCandidates(
  db: Executor,
  scopeId: number,
  viewerScopeIds: readonly number[],
  filter: { search?: string | undefined; userId?: number; limit: number },
): Promise<Candidate[]> {
  const { search, userId, limit } = filter
  const words = parseSearch(search)
  const { rows } = await sql<Candidate>`${upFrom(scopeId)}
    select u.id as "userId", ${userName} as name from users u
    where u.active
      and exists (select from user_access a join up on up.id = a.scope_id
        where a.user_id = u.id and a.scope_id = ${anyOf(viewerScopeIds)})
      and (${userId === undefined}::boolean or u.id = ${userId ?? null}::int)
      and ${words ? matches([sql`u.search`], words) : sql`true`}
    order by ${userName} collate natural_order, u.id limit ${limit}`.execute(db)
  return rows
}

/** @returns false if the relation already existed */
export async function insertRelation(
  tx: Executor,
  twinId: number,
  { userId, responsibility }: Pick<UserRelation, 'userId' | 'responsibility'>,
  now: Date,
): Promise<boolean> {
  const row = await tx
    .insertInto('twin_user_relations')
    .values({ twin_id: twinId, user_id: userId, responsibility, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** @returns the name of the user; undefined if the relation did not exist */
export async function deleteRelation(
  tx: Executor,
  twinId: number,
  { userId, responsibility }: Pick<UserRelation, 'userId' | 'responsibility'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    delete from twin_user_relations r using users u
    where r.twin_id = ${twinId} and r.user_id = ${userId} and r.responsibility = ${responsibility} and u.id = r.user_id
    returning ${userName} as name`.execute(tx)
  return rows[0]?.name
}
