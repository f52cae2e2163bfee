import type { UserProperties } from '@leitstand/contract'
import { retentionMonthsDefault } from '@leitstand/contract/accounts'
import { moduleKeys, type RoleRule } from '@leitstand/contract/permissions'
import { isRoleKey, type RoleKey, RoleLine } from '@leitstand/contract/roles'
import { sql } from 'kysely'
import * as z from 'zod'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import type { Grant, ScopeNode } from '../rights.ts'
import { forgetKnown } from './known.ts'

const userColumns = [
  'id',
  'account_id',
  'username',
  'email',
  'first_name',
  'last_name',
  'active',
  'password_hash',
  'properties',
] as const

export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>

/**
 * By user name or e-mail, which are one namespace: upper and lower case, forms of Unicode and spaces around it alike.
 */
export function findUser(db: Executor, login: string) {
  return db
    .selectFrom('users')
    .innerJoin('login_names', 'login_names.user_id', 'users.id')
    .select(userColumns.map((column) => `users.${column}` as const))
    .where('login_names.name', '=', sql<string>`login_name(${login})`)
    .executeTakeFirst()
}

export function readUser(db: Executor, id: number) {
  return db.selectFrom('users').select(userColumns).where('id', '=', id).executeTakeFirst()
}

export async function noteLogin(tx: Executor, userId: number, at: Date): Promise<void> {
  await tx.updateTable('users').set({ last_login_at: at }).where('id', '=', userId).execute()
}

/**
 * Ends sessions of a user; with all of them the browsers and networks the user is known by are forgotten.
 * @param userAgent only sessions begun by this program
 */
export async function deleteSessionsOf(tx: Executor, userId: number, userAgent?: string): Promise<void> {
  let query = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (userAgent !== undefined) query = query.where('user_agent', '=', userAgent)
  else await forgetKnown(tx, userId)
  await query.execute()
}

/** The key of a role as it lies in the table; one this version does not know, after going back to it, is none. */
export function readRoleKey(key: string | null): RoleKey | null {
  return isRoleKey(key) ? key : null
}

/** The lines of a role as they lie in the table. */
export function readRules(rules: unknown): RoleRule[] {
  return z.array(RoleLine).parse(rules)
}

/** Whether there is such a user who may sign in. */
export async function isActive(db: Executor, userId: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('active').where('id', '=', userId).executeTakeFirst()
  return row?.active ?? false
}

export async function readGrants(db: Executor, userId: number): Promise<Grant[]> {
  const rows = await db
    .selectFrom('user_access')
    .innerJoin('roles', 'roles.id', 'user_access.role_id')
    .select(['user_access.scope_id', 'user_access.is_main', 'roles.rules'])
    .where('user_access.user_id', '=', userId)
    .orderBy('is_main', 'desc')
    .orderBy('user_access.id')
    .execute()
  return rows.map((row) => ({
    scopeId: row.scope_id,
    isMain: row.is_main,
    rules: readRules(row.rules),
  }))
}

/** The subtrees below some scopes, themselves included, parents before children; with the modules that are off there. */
export async function readScopeTree(db: Executor, roots: readonly number[]): Promise<ScopeNode[]> {
  const { rows } = await sql<Omit<ScopeNode, 'modulesOff'> & { modulesOff: string[] | null }>`
    with recursive tree as (
      select id, parent_id, account_id, twin_id, name, 0 as depth from scopes where id = any(${[...roots]}::int[])
      union all
      select s.id, s.parent_id, s.account_id, s.twin_id, s.name, depth + 1
      from scopes s join tree on s.parent_id = tree.id),
    off (account_id, module) as (
      select account_id, module from account_modules where not enabled
      union
      select a.id, off.module from accounts a join off on a.parent_id = off.account_id),
    masked as (select account_id, array_agg(module order by module) as modules from off group by account_id)
    -- A root that lies below another one is reached twice; its deeper place keeps parents before children.
    select id, parent_id as "parentId", tree.account_id as "accountId", twin_id as "twinId", name,
      masked.modules as "modulesOff"
    from tree left join masked on masked.account_id = tree.account_id
    group by id, parent_id, tree.account_id, twin_id, name, masked.modules order by max(depth), id`.execute(
    db,
  )
  return rows.map(withModules)
}

/** Modules this version does not know, after going back to it, mask nothing. */
export function withModules<T extends { modulesOff: string[] | null }>({ modulesOff, ...scope }: T) {
  if (modulesOff === null) return scope
  return { ...scope, modulesOff: moduleKeys.filter((key) => modulesOff.includes(key)) }
}

export interface AccountRow {
  id: number
  name: string
  description: string
  parentId: number | null
  scopeId: number
  timeZone: string
  retentionMonths: number
  messagesPerSecond: number | null
  version: number
}

/** Accounts whose own scope is among these, with the retention they inherit; by name. */
export async function listAccounts(db: Executor, scopeIds: readonly number[]): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    with recursive tree as (
      select id, name, description, parent_id, time_zone, version, coalesce(retention_months, ${retentionMonthsDefault}) as retention,
        messages_per_second
      from accounts where parent_id is null
      union all
      select a.id, a.name, a.description, a.parent_id, a.time_zone, a.version, coalesce(a.retention_months, tree.retention),
        a.messages_per_second
      from accounts a join tree on a.parent_id = tree.id)
    select tree.id, tree.name, tree.description, tree.parent_id as "parentId", scopes.id as "scopeId",
      time_zone as "timeZone", retention as "retentionMonths", messages_per_second as "messagesPerSecond", version
    from tree join scopes on scopes.account_id = tree.id and scopes.twin_id is null
    where scopes.id = any(${[...scopeIds]}::int[])
    order by tree.name, tree.id`.execute(db)
  return rows
}

/** Id and scope of an account whose own scope is among these. */
export async function findAccount(
  db: Executor,
  id: number,
  scopeIds: readonly number[],
): Promise<{ id: number; name: string; scopeId: number } | undefined> {
  const { rows } = await sql<{ id: number; name: string; scopeId: number }>`
    /* prepared: accounts.findAccount */
    select a.id, a.name, s.id as "scopeId" from accounts a join scopes s on s.account_id = a.id
    where a.id = ${id} and s.twin_id is null and s.id = ${anyOf(scopeIds)}`.execute(db)
  return rows[0]
}

/** @returns false when the version has moved on */
export async function updateAccountLimit(
  tx: Executor,
  id: number,
  version: number,
  messagesPerSecond: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ messages_per_second: messagesPerSecond, updated_at: sql`now()`, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export interface NewAccount {
  parentId: number | null
  parentScopeId: number | null
  name: string
  description: string
  timeZone: string
}

/** Creates an account together with its scope. */
export async function insertAccount(
  tx: Executor,
  account: NewAccount,
): Promise<{ id: number; scopeId: number }> {
  const { id } = await tx
    .insertInto('accounts')
    .values({
      parent_id: account.parentId,
      name: account.name,
      description: account.description,
      time_zone: account.timeZone,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const scope = await tx
    .insertInto('scopes')
    .values({ parent_id: account.parentScopeId, account_id: id, name: account.name })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, scopeId: scope.id }
}

export interface NewRole {
  accountId: number | null
  name: string
  /** of a role the platform comes with */
  key?: RoleKey
  description: string
  icon: string | null
  rules: readonly RoleRule[]
  isSuper?: boolean
}

export async function insertRole(tx: Executor, role: NewRole): Promise<number> {
  const { id } = await tx
    .insertInto('roles')
    .values({
      account_id: role.accountId,
      name: role.name,
      key: role.key ?? null,
      description: role.description,
      icon: role.icon,
      rules: jsonb(role.rules),
      is_super: role.isSuper ?? false,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export interface NewUser {
  accountId: number
  username: string
  email: string
  passwordHash: string | null
}

export async function insertUser(tx: Executor, user: NewUser): Promise<number> {
  const { id } = await tx
    .insertInto('users')
    .values({
      account_id: user.accountId,
      username: user.username,
      email: user.email,
      password_hash: user.passwordHash,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
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

/**
 * Replaces what a user keeps for himself, except `eula`: that he has accepted the terms is only said by accepting.
 * @returns the properties as they are now
 */
export async function setProperties(
  tx: Executor,
  userId: number,
  properties: UserProperties,
): Promise<UserProperties> {
  const row = await tx
    .updateTable('users')
    .set({
      properties: sql`(${jsonb(properties)} - 'eula')
        || case when properties ? 'eula' then jsonb_build_object('eula', properties -> 'eula') else '{}' end`,
      updated_at: sql`now()`,
      version: sql`version + 1`,
    })
    .where('id', '=', userId)
    .returning('properties')
    .executeTakeFirstOrThrow()
  return row.properties as UserProperties
}

export async function setPassword(tx: Executor, userId: number, passwordHash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      active: true,
      failed_logins: 0,
      locked_until: null,
      failed_proofs: 0,
      proofs_locked_until: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', userId)
    .execute()
}

/** The oldest user who holds the super administrator's role. */
export function findSuperAdmin(db: Executor) {
  return db
    .selectFrom('users')
    .innerJoin('user_access', 'user_access.user_id', 'users.id')
    .innerJoin('roles', 'roles.id', 'user_access.role_id')
    .select(['users.id', 'users.username', 'users.email'])
    .where('roles.is_super', '=', true)
    .orderBy('users.id')
    .executeTakeFirst()
}

export async function anyAccount(db: Executor): Promise<boolean> {
  return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined
}
