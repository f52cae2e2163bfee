import { sql } from 'kysely'
import { accountsBelow } from '../../../../platform/db/accountTree.ts'
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

/** Those of the users that are active members of an account or of one below it, with their names. */
export async function membersOf(
  db: Executor,
  accountId: number,
  userIds: readonly number[],
): Promise<Map<number, string>> {
  if (userIds.length === 0) return new Map()
  const { rows } = await sql<{ id: number; name: string }>`
    select id, coalesce(nullif(trim(concat_ws(' ', first_name, last_name)), ''), username) as name from users
    where id = ${anyOf(userIds)} and active and account_id in (select id from ${accountsBelow(accountId)} below)`.execute(
    db,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
