import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { AlarmScopes } from './store.ts'

/**
 * Active users with a role at all of these alarms, by name. Only roles in the scopes of the caller count: names of people
 * above them are not told.
 * @param options `userId`: only this user; `self`: the caller, who has tended them and needs no role below
 */
export async function listAssignees(
  db: Executor,
  {
    alarmIds,
    scopes,
    userId,
    self,
    search,
    offset = 0,
    limit = 1,
  }: {
    alarmIds: readonly number[]
    scopes: AlarmScopes
    userId?: number
    self: number | null
    search?: string
    offset?: number
    limit?: number
  },
): Promise<{ items: { id: number; name: string }[]; total: number }> {
  const visible = [...new Set([...scopes.digitalTwin, ...scopes.connector, ...scopes.platform])]
  const name = sql`coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username)`
  const only = userId === undefined ? sql`true` : sql`u.id = ${userId}`
  const named = search ? sql`${name} ilike ${`%${escapeLike(search)}%`}` : sql`true`
  const { rows } = await sql<{ id: number; name: string; total: number }>`
    with recursive place (alarm_id, scope_id) as (
      select a.id, coalesce(t.scope_id, c.scope_id, s.id)
      from alarms a left join twins t on t.id = a.twin_id left join connectors c on c.id = a.connector_id
        join scopes s on s.account_id = a.account_id and s.twin_id is null
      where a.id = any(${[...alarmIds]}::bigint[])),
    up (alarm_id, scope_id) as (
      select * from place
      union
      select up.alarm_id, s.parent_id from up join scopes s on s.id = up.scope_id where s.parent_id is not null)
    select u.id, ${name} as name, count(*) over ()::int as total from users u
    where u.active and ${only} and ${named} and (u.id = ${self} or not exists (
      select from place where not exists (
        select from up join user_access g on g.scope_id = up.scope_id
        where up.alarm_id = place.alarm_id and g.user_id = u.id and g.scope_id = ${anyOf(visible)})))
    order by 2, 1 offset ${offset} limit ${limit}`.execute(db)
  return { items: rows.map(({ id, name: shown }) => ({ id, name: shown })), total: rows[0]?.total ?? 0 }
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
