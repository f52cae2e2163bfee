import type { ModuleKey, RoleRule } from '@leitstand/contract/permissions'
import { isRoleKey, type RoleKey, RoleLine, type RoleName } from '@leitstand/contract/roles'
import { sql } from 'kysely'
import * as z from 'zod'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'

export type RoleRow = NonNullable<Awaited<ReturnType<typeof readRole>>>

/**
 * A page, by name, of the roles offered to everyone and those of the accounts whose own scope is one of
 * these.
 */
export async function listRoles(
  db: Executor,
  scopeIds: readonly number[],
  page: { offset: number; limit: number },
) {
  const query = db
    .selectFrom('roles')
    .where((where) =>
      where.or([
        where('account_id', 'is', null),
        where(
          'account_id',
          'in',
          where
            .selectFrom('scopes')
            .select('account_id')
            .where('twin_id', 'is', null)
            .where('id', '=', anyOf(scopeIds)),
        ),
      ]),
    )
  const items = await query
    .select((role) => [
      'id',
      'account_id',
      'name',
      'key',
      'description',
      'icon',
      'is_super',
      'rules',
      'version',
      role
        .selectFrom('user_access')
        .whereRef('role_id', '=', 'roles.id')
        .where('scope_id', '=', anyOf(scopeIds))
        .select((rows) => rows.fn.countAll<number>().as('users'))
        .as('users'),
    ])
    .orderBy('name')
    .orderBy('id')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  const { total } = await query
    .select((rows) => rows.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items, total }
}

/** A role with the own scope of its account; with `lock`, locked until the end of the transaction. */
export function readRole(db: Executor, id: number, lock = false) {
  let query = db
    .selectFrom('roles')
    .select((role) => [
      'roles.id',
      'roles.account_id',
      'roles.name',
      'roles.key',
      'roles.description',
      'roles.icon',
      'roles.is_super',
      'roles.rules',
      'roles.version',
      role
        .selectFrom('scopes')
        .whereRef('scopes.account_id', '=', 'roles.account_id')
        .where('twin_id', 'is', null)
        .select('scopes.id')
        .as('scope_id'),
    ])
    .where('roles.id', '=', id)
  if (lock) query = query.forUpdate('roles')
  return query.executeTakeFirst()
}

/** @returns false on a version conflict */
export async function updateRole(
  tx: Executor,
  id: number,
  version: number,
  role: {
    name: string
    key: RoleKey | null
    description: string
    icon: string | null
    rules: readonly RoleRule[]
  },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('roles')
    .set({
      name: role.name,
      key: role.key,
      description: role.description,
      icon: role.icon,
      rules: jsonb(role.rules),
      updated_at: sql`now()`,
      version: version + 1,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteRole(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('roles').where('id', '=', id).execute()
}

/** The scopes on which a role is given to a user or a key, and those where new users get it. */
export async function scopesOfRole(
  db: Executor,
  roleId: number,
): Promise<{ given: number[]; defaults: number[] }> {
  const given = await db
    .selectFrom('user_access')
    .select('scope_id')
    .where('role_id', '=', roleId)
    .union((keys) =>
      keys.selectFrom(viewOf('apiKeyRoles').as('k')).select('scope_id').where('role_id', '=', roleId),
    )
    .execute()
  const defaults = await db
    .selectFrom('scope_default_roles')
    .select('scope_id')
    .where('role_id', '=', roleId)
    .union((mapped) =>
      mapped.selectFrom(viewOf('mappedRoles').as('m')).select('scope_id').where('role_id', '=', roleId),
    )
    .execute()
  return { given: given.map((row) => row.scope_id), defaults: defaults.map((row) => row.scope_id) }
}

/** A scope, if it is one of these. */
export function findScope(db: Executor, id: number, scopeIds: readonly number[]) {
  return db
    .selectFrom('scopes')
    .innerJoin('accounts', 'accounts.id', 'scopes.account_id')
    .select(['scopes.id', 'scopes.account_id as accountId', 'scopes.name', 'accounts.name as accountName'])
    .where('scopes.id', '=', id)
    .where('scopes.id', '=', anyOf(scopeIds))
    .executeTakeFirst()
}

export async function readDefaultRoles(
  db: Executor,
  scopeId: number,
): Promise<(RoleName & { id: number })[]> {
  const rows = await db
    .selectFrom('scope_default_roles')
    .innerJoin('roles', 'roles.id', 'role_id')
    .select(['roles.id', 'roles.name', 'roles.key'])
    .where('scope_id', '=', scopeId)
    .orderBy('roles.id')
    .execute()
  return rows.map((row) => ({ ...row, key: readRoleKey(row.key) }))
}

/** The default roles of an account: those on its own scope first, then those on the scopes of its twins. */
export async function readDefaultRolesOfAccount(
  db: Executor,
  accountId: number,
): Promise<{ scopeId: number; scopeName: string; twinId: number | null; roleId: number }[]> {
  return db
    .selectFrom('scope_default_roles as d')
    .innerJoin('scopes as s', 's.id', 'd.scope_id')
    .select(['s.id as scopeId', 's.name as scopeName', 's.twin_id as twinId', 'd.role_id as roleId'])
    .where('s.account_id', '=', accountId)
    .orderBy(sql`s.twin_id is not null`)
    .orderBy('s.name')
    .orderBy('s.id')
    .orderBy('d.role_id')
    .execute()
}

export async function replaceDefaultRoles(
  tx: Executor,
  scopeId: number,
  roleIds: readonly number[],
): Promise<void> {
  await tx.deleteFrom('scope_default_roles').where('scope_id', '=', scopeId).execute()
  if (roleIds.length === 0) return
  const rows = roleIds.map((roleId) => ({ scope_id: scopeId, role_id: roleId }))
  await tx.insertInto('scope_default_roles').values(rows).execute()
}

/**
 * Those of the given roles that can be given on the scopes of an account: roles offered to everyone, its own,
 * and those of the accounts above it.
 */
export async function rolesUsableIn(db: Executor, accountId: number, roleIds: readonly number[]) {
  const { rows } = await sql<{ id: number; name: string; key: string | null; rules: RoleRule[] }>`
    select id, name, key, rules from roles
    where id = any(${[...roleIds]}::int[])
      and (account_id is null or account_id in (select id from ${accountsUp(accountId)} up))`.execute(db)
  return rows.map((row) => ({ ...row, key: readRoleKey(row.key) }))
}

/** Every role that can be given on the scopes of an account, by name. */
export async function listUsableRoles(db: Executor, accountId: number, limit: number) {
  const { rows } = await sql<{ name: string; key: string | null; rules: RoleRule[] }>`
    select name, key, rules from roles
    where account_id is null or account_id in (select id from ${accountsUp(accountId)} up)
    order by name, id limit ${limit}`.execute(db)
  return rows.map(({ name, key, rules }) => ({ name, key: readRoleKey(key), rules }))
}

/** The accounts whose own scope is one of these. */
export async function accountsOfScopes(db: Executor, scopeIds: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('scopes')
    .select('account_id')
    .where('twin_id', 'is', null)
    .where('id', '=', anyOf(scopeIds))
    .execute()
  return new Set(rows.map((row) => row.account_id))
}

/** The stored key of a role; null when this version does not know it, which happens after a downgrade. */
export function readRoleKey(key: string | null): RoleKey | null {
  return isRoleKey(key) ? key : null
}

/** The stored rules of a role. */
export function readRules(rules: unknown): RoleRule[] {
  return z.array(RoleLine).parse(rules)
}

export interface NewRole {
  accountId: number | null
  name: string
  /** of a built-in role */
  key?: RoleKey
  description: string
  icon: string | null
  rules: readonly RoleRule[]
  isSuper?: boolean
  /** the role that this module gives to new users */
  module?: ModuleKey
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
      module: role.module ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
