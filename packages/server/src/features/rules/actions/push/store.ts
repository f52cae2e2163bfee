import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../../platform/db/index.ts'

export interface SubscriptionRow {
  id: number
  userId: number
  endpoint: string
  hash: string
  keys: string
  label: string
  createdAt: Date
  usedAt: Date | null
}

const columns = sql`id, user_id as "userId", endpoint, hash, keys, label, created_at as "createdAt", used_at as "usedAt"`

export async function listSubscriptions(
  db: Executor,
  userIds: readonly number[],
): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    select ${columns} from push_subscriptions where user_id = ${anyOf(userIds)} order by id`.execute(db)
  return rows
}

export async function findSubscription(db: Executor, id: number): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    select ${columns} from push_subscriptions where id = ${id}`.execute(db)
  return rows[0]
}

/**
 * Subscribes a browser for a user. If it was another user's, it is moved.
 * @returns undefined when the user has too many
 */
export async function saveSubscription(
  tx: Executor,
  row: Omit<SubscriptionRow, 'id' | 'usedAt'>,
  max: number,
): Promise<SubscriptionRow | undefined> {
  // Serialises the subscriptions of a user, so that two calls cannot exceed the limit together.
  await sql`select from users where id = ${row.userId} for no key update`.execute(tx)
  await sql`delete from push_subscriptions where hash = ${row.hash}`.execute(tx)
  const { rows } = await sql<SubscriptionRow>`
    insert into push_subscriptions (user_id, endpoint, hash, keys, label, created_at)
    select ${row.userId}, ${row.endpoint}, ${row.hash}, ${row.keys}, ${row.label}, ${row.createdAt}
    where (select count(*) from push_subscriptions where user_id = ${row.userId}) < ${max}
    returning ${columns}`.execute(tx)
  return rows[0]
}

/** @returns its label; undefined when the user has no such subscription */
export async function deleteSubscription(
  db: Executor,
  { id, userId }: { id: number; userId?: number },
): Promise<string | undefined> {
  const own = userId === undefined ? sql`true` : sql`user_id = ${userId}`
  const { rows } = await sql<{ label: string }>`
    delete from push_subscriptions where id = ${id} and ${own} returning label`.execute(db)
  return rows[0]?.label
}

export async function touchSubscription(db: Executor, id: number, at: Date): Promise<void> {
  await sql`update push_subscriptions set used_at = ${at} where id = ${id}`.execute(db)
}

/** A user who may be notified by the rules of a twin. */
export interface Reader {
  twinId: number
  userId: number
  name: string
}

/**
 * Those of the users who are active and have a role on these twins: messages of a rule contain values of its twin.
 * @param viewerScopeIds only roles granted in these scopes, which the author of a rule may see; null: all
 */
export async function readersOf(
  db: Executor,
  twinIds: readonly number[],
  userIds: readonly number[],
  viewerScopeIds: readonly number[] | null,
): Promise<Reader[]> {
  if (userIds.length === 0) return []
  const granted = viewerScopeIds === null ? sql`true` : sql`a.scope_id = ${anyOf(viewerScopeIds)}`
  const { rows } = await sql<Reader>`
    with recursive up (twin_id, scope_id) as (
      select id, scope_id from twins where id = ${anyOf(twinIds)}
      union
      select up.twin_id, s.parent_id from up join scopes s on s.id = up.scope_id where s.parent_id is not null)
    select distinct up.twin_id as "twinId", u.id as "userId",
      coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username) as name
    from up join user_access a on a.scope_id = up.scope_id join users u on u.id = a.user_id
    where u.id = ${anyOf(userIds)} and u.active and ${granted}`.execute(db)
  return rows
}
