import type { DoorKey } from '@leitstand/contract/keys'
import type { Search } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import type { KeySight } from './policy.ts'
import { clockOf, closedAt, type Validity } from './validity.ts'

/** Which keys are listed, among those that are visible. */
export interface KeyFilter {
  search?: Search | null | undefined
  accountIds?: readonly number[] | undefined
  userIds?: readonly number[] | undefined
  lockIds?: readonly number[] | undefined
  groupIds?: readonly number[] | undefined
  validity?: readonly ('valid' | 'expired' | 'revoked')[] | undefined
  /** own keys are listed without the right to manage them */
  withOwn?: boolean
  id?: number
}

export type KeyOrder = 'createdAt' | '-createdAt' | 'user' | '-user' | 'validUntil' | '-validUntil'

const userName = sql`coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username)`

const orders: Readonly<Record<KeyOrder, RawBuilder<unknown>>> = {
  createdAt: sql`k.id`,
  '-createdAt': sql`k.id desc`,
  user: sql`${userName} collate natural_order, k.id`,
  '-user': sql`${userName} collate natural_order desc, k.id desc`,
  validUntil: sql`k.valid_until nulls last, k.id`,
  '-validUntil': sql`k.valid_until desc nulls first, k.id desc`,
}

/** Keys `k` of users `u` with their lock `l` and its door `w`, or with their group `g` and the scope `s` of its account. */
function found(sight: KeySight, filter: KeyFilter, now: Date): RawBuilder<unknown> {
  const { search, accountIds, userIds, lockIds, groupIds, validity, withOwn, id } = filter
  const managed = sql<boolean>`coalesce(w.scope_id, s.id) = ${anyOf([...sight.manage])}`
  const conditions = [withOwn ? sql<boolean>`(${managed} or k.user_id = ${sight.userId})` : managed]
  if (search) conditions.push(matches([sql`u.search`, sql`w.search`, sql`g.search`], search))
  if (accountIds) conditions.push(sql`k.account_id = ${anyOf([...accountIds])}`)
  if (userIds) conditions.push(sql`k.user_id = ${anyOf([...userIds])}`)
  if (lockIds) conditions.push(sql`k.lock_id = ${anyOf([...lockIds])}`)
  if (groupIds) conditions.push(sql`k.group_id = ${anyOf([...groupIds])}`)
  if (validity)
    conditions.push(sql`case when k.revoked_at is not null then 'revoked'
      when k.valid_until <= ${now} then 'expired' else 'valid' end = any(${[...validity]}::text[])`)
  if (id) conditions.push(sql`k.id = ${id}`)
  return sql`door_keys k join users u on u.id = k.user_id join accounts a on a.id = k.account_id
    left join locks l on l.id = k.lock_id left join twins w on w.id = l.twin_id
    left join lock_groups g on g.id = k.group_id
    left join scopes s on s.account_id = g.account_id and s.twin_id is null
    where ${sql.join(conditions, sql` and `)}`
}

/** The columns of a key that say when it opens. */
export interface ValidityRow {
  valid_from: Date
  valid_until: Date | null
  weekdays: number[]
  hours_from: number | null
  hours_until: number | null
  time_zone: string
  revoked_at: Date | null
}

interface KeyRow extends ValidityRow {
  id: number
  version: number
  account_id: number
  account_name: string
  user_id: number
  user_name: string
  lock_id: number | null
  lock_title: string | null
  group_id: number | null
  group_title: string | null
  group_locks: number
  scope_id: number
  note: string
  revoked_by: string | null
  created_at: Date
  created_by: string
}

export const toValidity = (row: ValidityRow): Validity => ({
  validFrom: row.valid_from,
  validUntil: row.valid_until,
  weekdays: row.weekdays,
  hours:
    row.hours_from === null || row.hours_until === null
      ? null
      : { from: row.hours_from, until: row.hours_until },
  timeZone: row.time_zone,
  revokedAt: row.revoked_at,
})

/** As the contract shows it. */
export function shownValidity(validity: Validity, now: Date) {
  const { validFrom, validUntil, weekdays, hours, timeZone } = validity
  return {
    validFrom: validFrom.toISOString(),
    validUntil: validUntil?.toISOString() ?? null,
    weekdays: [...weekdays],
    hours: hours === null ? null : { from: clockOf(hours.from), until: clockOf(hours.until) },
    timeZone,
    closed: closedAt(validity, now),
  }
}

/** One page of the visible keys. */
export async function listKeys(
  db: Executor,
  sight: KeySight,
  filter: KeyFilter,
  { orderBy, offset, limit, now }: { orderBy: KeyOrder; offset: number; limit: number; now: Date },
): Promise<DoorKey[]> {
  const { rows } = await sql<KeyRow>`
    select k.*, a.name as account_name, ${userName} as user_name, w.title as lock_title, g.title as group_title,
      coalesce(w.scope_id, s.id) as scope_id,
      (select count(*)::int from lock_group_members m where m.group_id = k.group_id) as group_locks
    from ${found(sight, filter, now)}
    order by ${orders[orderBy]} offset ${offset} limit ${limit}`.execute(db)
  return rows.map((row) => toKey(row, sight, now))
}

export async function countKeys(
  db: Executor,
  sight: KeySight,
  filter: KeyFilter,
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${found(sight, filter, now)}`.execute(db)
  return rows[0]?.count ?? 0
}

function toKey(row: KeyRow, sight: KeySight, now: Date): DoorKey {
  return {
    id: row.id,
    version: row.version,
    accountId: row.account_id,
    accountName: row.account_name,
    user: { id: row.user_id, name: row.user_name },
    lock: row.lock_id === null ? null : { id: row.lock_id, title: row.lock_title ?? '' },
    group:
      row.group_id === null
        ? null
        : { id: row.group_id, title: row.group_title ?? '', locks: row.group_locks },
    ...shownValidity(toValidity(row), now),
    note: row.note,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    revokedBy: row.revoked_by,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    editable: sight.manage.includes(row.scope_id),
  }
}

export interface KeyFields extends Omit<Validity, 'revokedAt'> {
  lockId: number | null
  groupId: number | null
  note: string
}

const columnsOf = ({ lockId, groupId, hours, ...fields }: KeyFields) => ({
  lock_id: lockId,
  group_id: groupId,
  valid_from: fields.validFrom,
  valid_until: fields.validUntil,
  weekdays: [...fields.weekdays].sort(),
  hours_from: hours?.from ?? null,
  hours_until: hours?.until ?? null,
  time_zone: fields.timeZone,
  note: fields.note,
})

export async function insertKey(
  tx: Executor,
  about: { accountId: number; userId: number; by: string; at: Date },
  fields: KeyFields,
): Promise<number> {
  const { id } = await tx
    .insertInto('door_keys')
    .values({
      account_id: about.accountId,
      user_id: about.userId,
      created_by: about.by,
      created_at: about.at,
      ...columnsOf(fields),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Locks a key until the transaction ends; an activation with it waits. */
export async function lockKey(tx: Executor, id: number): Promise<void> {
  await sql`select from door_keys where id = ${id} for update`.execute(tx)
}

export async function writeKey(
  tx: Executor,
  { id, accountId }: { id: number; accountId: number },
  fields: KeyFields,
): Promise<void> {
  await tx
    .updateTable('door_keys')
    .set(({ eb }) => ({ ...columnsOf(fields), account_id: accountId, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function writeRevoked(
  tx: Executor,
  id: number,
  { by, at }: { by: string; at: Date },
): Promise<void> {
  await tx
    .updateTable('door_keys')
    .set(({ eb }) => ({ revoked_at: at, revoked_by: by, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

export async function deleteKey(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('door_keys').where('id', '=', id).execute()
}

/** Where a key for a lock or a group would open, if the caller manages keys there. */
export async function findTarget(
  db: Executor,
  { manage }: KeySight,
  { lockId, groupId }: { lockId: number | null; groupId: number | null },
): Promise<{ accountId: number; scopeId: number; title: string } | undefined> {
  const select =
    lockId === null
      ? sql`select g.account_id, s.id as scope_id, g.title
          from lock_groups g join scopes s on s.account_id = g.account_id and s.twin_id is null where g.id = ${groupId}`
      : sql`select l.account_id, w.scope_id, w.title
          from locks l join twins w on w.id = l.twin_id where l.id = ${lockId}`
  const { rows } = await sql<{ accountId: number; scopeId: number; title: string }>`
    select t.account_id as "accountId", t.scope_id as "scopeId", t.title from (${select}) t
    where t.scope_id = ${anyOf([...manage])}`.execute(db)
  return rows[0]
}

/**
 * Active users with a role for keys that covers one of some scopes or, of a group, lies within its account; by name. Only
 * roles in the scopes of the caller count: names of people above them are not told.
 * @param options `scopeIds`: of the doors, all without it; `userId`: only this user; `self`: the caller, whose role may be above
 */
export async function listHolders(
  db: Executor,
  {
    scopeIds,
    visible,
    userId,
    self,
    search,
    offset = 0,
    limit = 1,
  }: {
    scopeIds: readonly number[] | null
    visible: readonly number[]
    userId?: number
    self: number | null
    search?: Search | null
    offset?: number
    limit?: number
  },
): Promise<{ items: { id: number; name: string }[]; total: number }> {
  const reach = scopeIds === null ? sql`true` : sql`g.scope_id in (select id from up)`
  const { rows } = await sql<{ id: number; name: string; total: number }>`
    with recursive up (id, parent_id) as (
      select id, parent_id from scopes where id = ${anyOf([...(scopeIds ?? [])])}
      union
      select s.id, s.parent_id from scopes s join up on s.id = up.parent_id)
    select u.id, ${userName} as name, count(*) over ()::int as total from users u
    where u.active and ${userId === undefined ? sql`true` : sql`u.id = ${userId}`}
      and ${search ? matches([sql`u.search`], search) : sql`true`}
      and (u.id = ${self} or exists (
        select from user_access g join roles r on r.id = g.role_id
        where g.user_id = u.id and g.scope_id = ${anyOf([...visible])} and ${reach} and exists (
          select from jsonb_array_elements(r.rules) rule
          where not coalesce((rule ->> 'inverted')::boolean, false)
            and (rule ->> 'subject' = 'IsFmAccess' and rule -> 'actions' ?| array['write', 'manage']
              or rule ->> 'subject' = 'all' and rule -> 'actions' ? 'manage'))))
    order by ${userName} collate natural_order, u.id offset ${offset} limit ${limit}`.execute(db)
  return { items: rows.map(({ id, name }) => ({ id, name })), total: rows[0]?.total ?? 0 }
}

/** Scopes of the doors of a group. */
export async function scopesOfGroup(db: Executor, groupId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct w.scope_id as id from lock_group_members m join locks l on l.id = m.lock_id
      join twins w on w.id = l.twin_id where m.group_id = ${groupId}`.execute(db)
  return rows.map(({ id }) => id)
}
