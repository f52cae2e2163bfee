import type { UserProperties } from '@leitstand/contract'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
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
 * Finds a user by user name or e-mail, which share one namespace. Ignores letter case, Unicode forms and
 * surrounding spaces.
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
 * Ends sessions of a user. Ending all of them also forgets the user's known browsers and networks.
 * @param userAgent only sessions begun with this user agent
 */
export async function deleteSessionsOf(tx: Executor, userId: number, userAgent?: string): Promise<void> {
  let query = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (userAgent !== undefined) query = query.where('user_agent', '=', userAgent)
  else await forgetKnown(tx, userId)
  await query.execute()
}

/** Whether the user exists and is active. */
export async function isActive(db: Executor, userId: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('active').where('id', '=', userId).executeTakeFirst()
  return row?.active ?? false
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

/**
 * Replaces a user's personal properties, except `eula`, which only accepting the terms sets.
 * @returns the updated properties
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

/** Whether a user has keys of doors that are not revoked and not over. */
export async function hasDoorKeys(db: Executor, userId: number, now: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from ${viewOf('doorKeys')} k
      where k.user_id = ${userId} and (k.valid_until is null or k.valid_until > ${now})) as has`.execute(db)
  return rows[0]?.has ?? false
}
