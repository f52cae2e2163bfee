import type { RoleRule } from '@leitstand/contract/permissions'
import type { RoleKey } from '@leitstand/contract/roles'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
import type { Grant } from '../rights.ts'
import { readRoleKey, readRules } from '../roles/store.ts'

/** The roles of a user with their rules, the main one first. */
export async function readGrants(
  db: Executor,
  userId: number,
): Promise<(Grant & { readonly roleId: number })[]> {
  const rows = await db
    .selectFrom('user_access')
    .innerJoin('roles', 'roles.id', 'user_access.role_id')
    .select(['user_access.scope_id', 'user_access.is_main', 'roles.id', 'roles.rules'])
    .where('user_access.user_id', '=', userId)
    .orderBy('is_main', 'desc')
    .orderBy('user_access.id')
    .execute()
  return rows.map((row) => ({
    scopeId: row.scope_id,
    isMain: row.is_main,
    rules: readRules(row.rules),
    roleId: row.id,
  }))
}

export async function insertAccess(
  tx: Executor,
  access: { userId: number; scopeId: number; roleId: number; isMain: boolean },
): Promise<void> {
  await tx
    .insertInto('user_access')
    .values({
      user_id: access.userId,
      scope_id: access.scopeId,
      role_id: access.roleId,
      is_main: access.isMain,
    })
    .execute()
}

export interface AccessRow {
  scopeId: number
  scopeName: string
  accountId: number
  roleId: number
  roleName: string
  roleKey: RoleKey | null
  rules: RoleRule[]
  isMain: boolean
}

/** Every role a user has, main scope first. */
export async function readAccess(db: Executor, userId: number): Promise<AccessRow[]> {
  const rows = await db
    .selectFrom('user_access')
    .innerJoin('roles', 'roles.id', 'user_access.role_id')
    .innerJoin('scopes', 'scopes.id', 'user_access.scope_id')
    .select([
      'user_access.scope_id as scopeId',
      'scopes.name as scopeName',
      'scopes.account_id as accountId',
      'roles.id as roleId',
      'roles.name as roleName',
      'roles.key as roleKey',
      'roles.rules',
      'user_access.is_main as isMain',
    ])
    .where('user_access.user_id', '=', userId)
    .orderBy('is_main', 'desc')
    .orderBy('user_access.id')
    .execute()
  return rows.map((row) => ({ ...row, roleKey: readRoleKey(row.roleKey), rules: readRules(row.rules) }))
}

/**
 * The roles of active users on some scopes, of the users who belong to an account whose own scope is in `visible`
 * or have a role on a scope in it.
 * @param limit roles at most, those of the first users
 */
export async function readAccessOn(
  db: Executor,
  { scopeIds, visible }: { scopeIds: readonly number[]; visible: readonly number[] },
  limit: number,
): Promise<(Grant & { userId: number; username: string })[]> {
  const { rows } = await sql<{
    userId: number
    username: string
    scopeId: number
    isMain: boolean
    rules: RoleRule[]
  }>`
    select u.id as "userId", u.username, a.scope_id as "scopeId", a.is_main as "isMain", r.rules
    from ${viewOf('users')} u join user_access a on a.user_id = u.id join roles r on r.id = a.role_id
    where u.active and a.scope_id = ${anyOf(scopeIds)} and (
      u.account_id in (select account_id from scopes where twin_id is null and id = ${anyOf(visible)})
      or exists (select from user_access x where x.user_id = u.id and x.scope_id = ${anyOf(visible)}))
    order by u.username, u.id limit ${limit}`.execute(db)
  return rows
}

/** A user, an API key, or a provider whose users get a role on a scope. */
export interface RoleHolder {
  kind: 'user' | 'apiKey' | 'signOn'
  id: number
  title: string
  accountId: number
}

/** Who gets roles on exactly this scope, users first, and how many there are. */
export async function listHolders(
  db: Executor,
  scopeId: number,
  limit: number,
): Promise<{ items: RoleHolder[]; total: number; users: number }> {
  const { rows } = await sql<RoleHolder & { total: number; users: number }>`
    with holders as (
      select 'user' as kind, 0 as place, u.id, u.username as title, u.account_id from ${viewOf('users')} u
      where u.id in (select user_id from user_access where scope_id = ${scopeId})
      union select 'apiKey', 1, k.id, k.title, k.account_id from ${viewOf('apiKeyRoles')} k
      where k.scope_id = ${scopeId}
      union select 'signOn', 2, m.client_id, m.title, m.account_id from ${viewOf('mappedRoles')} m
      where m.scope_id = ${scopeId})
    select kind, id, title, account_id as "accountId", count(*) over ()::int as total,
      count(*) filter (where kind = 'user') over ()::int as users
    from holders order by place, title, id limit ${limit}`.execute(db)
  return {
    items: rows.map(({ kind, id, title, accountId }) => ({ kind, id, title, accountId })),
    total: rows[0]?.total ?? 0,
    users: rows[0]?.users ?? 0,
  }
}

interface Compared {
  items: Pick<RoleHolder, 'kind' | 'id' | 'title'>[]
  total: number
}

/**
 * Who has roles on one line of scopes and not on another, or other roles there. Only those with a role on a scope in
 * `seen` are named.
 */
export async function compareHolders(
  db: Executor,
  { before, after, seen }: Record<'before' | 'after' | 'seen', readonly number[]>,
  limit: number,
): Promise<{ gains: Compared; loses: Compared; changes: Compared }> {
  const differing = [
    ...before.filter((id) => !after.includes(id)),
    ...after.filter((id) => !before.includes(id)),
  ]
  const { rows } = await sql<{ had: boolean; has: boolean; total: number; items: Compared['items'] | null }>`
    with holders as (
      select 'user' as kind, u.id, u.username as title, a.scope_id from ${viewOf('users')} u
      join user_access a on a.user_id = u.id
      union select 'apiKey', k.id, k.title, k.scope_id from ${viewOf('apiKeyRoles')} k
      union select 'signOn', m.client_id, m.title, m.scope_id from ${viewOf('mappedRoles')} m),
    compared as (
      select kind, id, title, bool_or(scope_id = ${anyOf(before)}) as had, bool_or(scope_id = ${anyOf(after)}) as has,
        bool_or(scope_id = ${anyOf(seen)}) as named
      from holders where scope_id = ${anyOf([...before, ...after])}
      group by kind, id, title
      having bool_or(scope_id = ${anyOf(differing)})),
    placed as (
      select *, row_number() over (partition by had, has, named order by kind desc, title, id) as place from compared)
    select had, has, count(*)::int as total,
      json_agg(json_build_object('kind', kind, 'id', id, 'title', title) order by kind desc, title, id)
        filter (where named and place <= ${limit}) as items
    from placed group by had, has`.execute(db)
  const of = (had: boolean, has: boolean): Compared => {
    const found = rows.find((row) => row.had === had && row.has === has)
    return { items: found?.items ?? [], total: found?.total ?? 0 }
  }
  return { gains: of(false, true), loses: of(true, false), changes: of(true, true) }
}

/** Replaces all roles of a user. */
export async function replaceAccess(
  tx: Executor,
  userId: number,
  access: readonly { scopeId: number; roleId: number; isMain: boolean }[],
): Promise<void> {
  await tx.deleteFrom('user_access').where('user_id', '=', userId).execute()
  if (access.length === 0) return
  const rows = access.map((entry) => ({
    user_id: userId,
    scope_id: entry.scopeId,
    role_id: entry.roleId,
    is_main: entry.isMain,
  }))
  await tx.insertInto('user_access').values(rows).execute()
}

/** Serialises changes that could take away the last system administrator. */
const superAdminLock = 7_211_020

/** Whether any active user administers the installation. */
export async function anySuperAdmin(tx: Executor): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${superAdminLock})`.execute(tx)
  const row = await tx
    .selectFrom('user_access')
    .innerJoin('roles', 'roles.id', 'user_access.role_id')
    .innerJoin(viewOf('users').as('users'), 'users.id', 'user_access.user_id')
    .select('users.id')
    .where('roles.is_super', '=', true)
    .where('users.active', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
