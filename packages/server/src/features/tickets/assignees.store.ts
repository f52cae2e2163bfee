import type { Search } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'

/**
 * Active users with a role for tickets that covers a scope, by name. Only roles in the scopes of the caller count: names of
 * people above them are not told.
 * @param options `userId`: only this user; `self`: the caller, whose role may be above
 */
export async function listAssignees(
  db: Executor,
  {
    scopeId,
    visible,
    userId,
    self,
    search,
    offset = 0,
    limit = 1,
  }: {
    scopeId: number
    visible: readonly number[]
    userId?: number
    self: number | null
    search?: Search | null
    offset?: number
    limit?: number
  },
): Promise<{ items: { id: number; name: string }[]; total: number }> {
  const name = sql`coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username)`
  const { rows } = await sql<{ id: number; name: string; total: number }>`
    with recursive up (id, parent_id) as (
      select id, parent_id from scopes where id = ${scopeId}
      union all
      select s.id, s.parent_id from scopes s join up on s.id = up.parent_id)
    select u.id, ${name} as name, count(*) over ()::int as total from users u
    where u.active and ${userId === undefined ? sql`true` : sql`u.id = ${userId}`}
      and ${search ? matches([sql`u.search`], search) : sql`true`}
      and (u.id = ${self} or exists (
        select from user_access g join up on up.id = g.scope_id join roles r on r.id = g.role_id
        where g.user_id = u.id and g.scope_id = ${anyOf([...visible])} and exists (
          select from jsonb_array_elements(r.rules) rule
          where not coalesce((rule ->> 'inverted')::boolean, false)
            and (rule ->> 'subject' = 'IsFmTicket' and rule -> 'actions' ?| array['read', 'manage']
              or rule ->> 'subject' = 'all' and rule -> 'actions' ? 'manage'))))
    order by ${name} collate natural_order, u.id offset ${offset} limit ${limit}`.execute(db)
  return { items: rows.map(({ id, name: shown }) => ({ id, name: shown })), total: rows[0]?.total ?? 0 }
}
