import type { RoleName } from '@leitstand/contract/roles'
import { parseSearch } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import { viewOf } from '../../objects/index.ts'
import { readRoleKey } from '../../rights/index.ts'

export interface UserFilter {
  offset: number
  limit: number
  accountIds?: number[] | undefined
  search?: string | undefined
  active?: boolean | undefined
  parentAdmins: boolean
  subAccounts: boolean
  orderBy: string
}

/** A row as the database returns it. */
type Listed = Omit<UserListRow, 'roles'> & { roles: { name: string; key: string | null }[]; total: number }

export interface UserListRow {
  id: number
  accountId: number
  accountName: string
  username: string
  email: string
  firstName: string
  lastName: string
  active: boolean
  invited: boolean
  lockedUntil: Date | null
  lastLoginAt: Date | null
  parentAdmin: boolean
  roles: RoleName[]
}

const orders: Readonly<Record<string, string>> = {
  username: 'lower(u.username)',
  email: 'lower(u.email)',
  lastName: `lower(coalesce(nullif(u.last_name, ''), u.username))`,
  lastLoginAt: 'u.last_login_at',
}

/** When the last lock of a user ends: that of strangers, or of a known browser or network. */
const lockedUntil = (user: RawBuilder<unknown>) => sql<Date | null>`greatest(${user}.locked_until,
  (select max(d.locked_until) from known_devices d where d.user_id = ${user}.id),
  (select max(n.locked_until) from known_networks n where n.user_id = ${user}.id))`

/**
 * Users who belong to one of the selected accounts or have a role in one. Accounts are selected among those
 * whose own scope the caller sees; `parentAdmins` adds users who administer one from further up, without
 * details of their own account that the caller may not see.
 */
export async function listUsers(
  db: Executor,
  scopeIds: readonly number[],
  filter: UserFilter,
): Promise<{ items: UserListRow[]; total: number }> {
  const seen = sql`${[...scopeIds]}::int[]`
  const wanted = filter.accountIds ? sql`and s.account_id = any(${filter.accountIds}::int[])` : sql``
  const below = filter.subAccounts
    ? sql`union select s.account_id, s.id from accounts a join picked p on a.parent_id = p.account_id
        join scopes s on s.account_id = a.id and s.twin_id is null where s.id = any(${seen})`
    : sql``
  const above = filter.parentAdmins
    ? sql`union select ua.user_id, true as "parentAdmin" from above
        join user_access ua on ua.scope_id = above.id
        join roles r on r.id = ua.role_id and r.rules @> '[{"subject":"all","actions":["manage"]}]'
        where not (above.id = any(${seen}))`
    : sql``
  const conditions = [sql`true`]
  if (filter.active !== undefined) conditions.push(sql`u.active = ${filter.active}`)
  const search = parseSearch(filter.search)
  if (search) {
    const email = sql`case when f.foreign then '' else fold(e'\\n' || u.email || e'\\n') end`
    conditions.push(matches([sql`u.search`, email], search))
  }
  const descending = filter.orderBy.startsWith('-')
  const order = orders[filter.orderBy.replace('-', '')] ?? 'u.id'
  const found = sql`
    with recursive picked (account_id, id) as (
      select s.account_id, s.id from scopes s where s.twin_id is null and s.id = any(${seen}) ${wanted}
      ${below}),
    above (id, parent_id) as (
      select s.id, s.parent_id from scopes s where s.id in (select parent_id from scopes join picked using (id))
      union select s.id, s.parent_id from scopes s join above on s.id = above.parent_id),
    members as (
      select u.id as user_id, false as "parentAdmin" from users u where u.account_id in (select account_id from picked)
      union select ua.user_id, false from user_access ua join scopes s on s.id = ua.scope_id
        where s.account_id in (select account_id from picked) and s.id = any(${seen})
      ${above}),
    f as (
      select user_id, bool_and("parentAdmin") as "parentAdmin",
        bool_and("parentAdmin") and not exists (select from users x join scopes s on s.account_id = x.account_id
          and s.twin_id is null where x.id = user_id and s.id = any(${seen})) as "foreign"
      from members group by user_id)`
  const from = sql`from f join users u on u.id = f.user_id join accounts a on a.id = u.account_id
    where ${sql.join(conditions, sql` and `)}`
  const { rows } = await sql<Listed>`${found}
    select count(*) over () as total, u.id, u.account_id as "accountId", a.name as "accountName", u.username,
      case when f.foreign then '' else u.email end as email, u.first_name as "firstName", u.last_name as "lastName",
      u.active,
      u.password_hash is null and not exists (
        select from ${viewOf('identities')} i where i.user_id = u.id) as invited,
      ${lockedUntil(sql`u`)} as "lockedUntil",
      case when f.foreign then null else u.last_login_at end as "lastLoginAt", f."parentAdmin",
      array(select jsonb_build_object('name', r.name, 'key', r.key) from roles r where r.id in (
        select ua.role_id from user_access ua where ua.user_id = u.id and ua.scope_id = any(${seen}))
        order by r.name, r.id) as roles
    ${from}
    order by ${sql.raw(order)} ${sql.raw(descending ? 'desc nulls last' : 'asc nulls last')}, u.id
    offset ${filter.offset} limit ${filter.limit}`.execute(db)
  // A page beyond the end has no row to carry the total.
  const [first] =
    rows.length > 0 || filter.offset === 0
      ? rows
      : (await sql<{ total: number }>`${found} select count(*) as total ${from}`.execute(db)).rows
  const items = rows.map(({ total: _counted, roles, ...row }) => ({
    ...row,
    roles: roles.map(({ name, key }) => ({ name, key: readRoleKey(key) })),
  }))
  return { items, total: Number(first?.total ?? 0) }
}

export type UserDetails = NonNullable<Awaited<ReturnType<typeof findUserIn>>>

/** A user of an account whose own scope is one of these, or with a role in one of these scopes. */
export function findUserIn(db: Executor, id: number, scopeIds: readonly number[], lock = false) {
  let query = db
    .selectFrom('users')
    .selectAll('users')
    // Users who can sign in neither with a password nor through a provider.
    .select((user) =>
      sql<boolean>`${user.ref('users.password_hash')} is null
        and not exists (select from ${viewOf('identities')} i where i.user_id = ${user.ref('users.id')})`.as(
        'invited',
      ),
    )
    .select(lockedUntil(sql`users`).as('lockedUntil'))
    .where('users.id', '=', id)
    .where((where) =>
      where.or([
        where(
          'account_id',
          'in',
          where
            .selectFrom('scopes')
            .select('scopes.account_id')
            .where('twin_id', 'is', null)
            .where('scopes.id', '=', anyOf(scopeIds)),
        ),
        where.exists(
          where
            .selectFrom('user_access')
            .select('user_access.id')
            .whereRef('user_access.user_id', '=', 'users.id')
            .where('user_access.scope_id', '=', anyOf(scopeIds)),
        ),
      ]),
    )
  if (lock) query = query.forUpdate('users')
  return query.executeTakeFirst()
}

export interface MasterData {
  username: string
  email: string
  firstName: string
  lastName: string
  phone: string
  mobile: string
  active: boolean
  properties: object
}

function toColumns(user: MasterData) {
  return {
    username: user.username,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    phone: user.phone,
    mobile: user.mobile,
    active: user.active,
    properties: jsonb(user.properties),
  }
}

/** Creates a user who cannot sign in yet. */
export async function insertInvited(tx: Executor, accountId: number, user: MasterData): Promise<number> {
  const { id } = await tx
    .insertInto('users')
    .values({ ...toColumns(user), account_id: accountId, password_hash: null, email_proven: false })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @returns false on a version conflict */
export async function updateUser(
  tx: Executor,
  id: number,
  version: number,
  user: MasterData,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({
      ...toColumns(user),
      email_proven: sql<boolean>`email_proven and login_name(email) = login_name(${user.email})`,
      updated_at: sql`now()`,
      version: version + 1,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** @returns the new version; null on a version conflict */
export async function nextVersion(tx: Executor, id: number, version: number): Promise<number | null> {
  const row = await tx
    .updateTable('users')
    .set({ updated_at: sql`now()`, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  return row?.version ?? null
}

/** @returns false on a version conflict */
export async function setAccountOf(
  tx: Executor,
  id: number,
  version: number,
  accountId: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ account_id: accountId, updated_at: sql`now()`, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Accounts of the providers that sign a user in, one for each identity. */
export async function accountsOfIdentities(db: Executor, userId: number): Promise<number[]> {
  const { rows } = await sql<{ accountId: number }>`
    select account_id as "accountId" from ${viewOf('identities')} i where user_id = ${userId}`.execute(db)
  return rows.map(({ accountId }) => accountId)
}

export async function deleteUser(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

/**
 * Those of these names and addresses that belong to a user the caller sees: a user of an account whose own
 * scope is one of these, or with a role in one of these scopes. Reveals nothing about other users.
 * @param logins in the form of `loginName`
 * @param exceptId a user whose names are ignored
 */
export async function takenNames(
  db: Executor,
  logins: readonly string[],
  scopeIds: readonly number[],
  exceptId: number | null = null,
): Promise<Set<string>> {
  const seen = sql`${[...scopeIds]}::int[]`
  const { rows } = await sql<{ name: string }>`
    select n.name from login_names n join users u on u.id = n.user_id
    where n.name = any(${[...logins]}::text[]) and u.id is distinct from ${exceptId}::int
      and (exists (select from scopes s where s.account_id = u.account_id and s.twin_id is null and s.id = any(${seen}))
        or exists (select from user_access ua where ua.user_id = u.id and ua.scope_id = any(${seen})))`.execute(
    db,
  )
  return new Set(rows.map(({ name }) => name))
}

/** Deletes the users of an account. */
export async function deleteUsersOf(tx: Executor, accountId: number): Promise<void> {
  await tx.deleteFrom('users').where('account_id', '=', accountId).execute()
}
