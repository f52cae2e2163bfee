import type { Session } from '@leitstand/contract'
import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { forgetKnown } from '../store/known.ts'
import { findUser } from '../store/users.ts'

/** Maximum sessions per user; the least recently used end first. */
const sessionsOfUserMax = 100

export interface NewSession {
  tokenHash: Buffer
  userId: number
  at: Date
  expiresAt: Date
  ip: string
  userAgent: string
  /** the session of the user who impersonates this one */
  originalId: number | null
  /** the provider that vouched for the user */
  ssoClientId?: number | undefined
  factorByProvider?: boolean | undefined
  /** nothing can be changed in it */
  readOnly?: boolean | undefined
}

/** @returns the id */
export async function insertSession(tx: Executor, session: NewSession): Promise<number> {
  const { id } = await tx
    .insertInto('sessions')
    .values({
      token_hash: session.tokenHash,
      user_id: session.userId,
      created_at: session.at,
      last_used_at: session.at,
      rotated_at: session.at,
      expires_at: session.expiresAt,
      ip: session.ip,
      user_agent: session.userAgent,
      original_id: session.originalId,
      sso_client_id: session.ssoClientId ?? null,
      factor_by_provider: session.factorByProvider ?? false,
      read_only: session.readOnly ?? false,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    delete from sessions where id in (
      select id from sessions where user_id = ${session.userId}
      order by last_used_at desc, id desc offset ${sessionsOfUserMax})`.execute(tx)
  return id
}

export interface SessionRow {
  id: number
  userId: number
  username: string
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
  rotatedAt: Date
  /** set when the token is the previous one, from before the last rotation */
  previousUntil: Date | null
  /** the user who impersonates this one */
  impersonatorId: number | null
  impersonatorName: string | null
  originalId: number | null
  readOnly: boolean
  /** when the session of the impersonator ends unless it is used */
  originalExpiresAt: Date | null
  /** an account above requires a second factor, and the user has none */
  needsTwoFactor: boolean
  /** the account of the user and all above it, which decide that */
  accountIds: number[]
}

/** Whether an account above the user `u` requires a second factor, and the user has none. */
export const demandsFactor = sql<boolean>`(
  not exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null)
  and exists (
    select from ${accountsUp(sql`u.account_id`)} up join accounts a on a.id = up.id where a.two_factor_required))`

/** The account of the user `u` and all above it. */
export const lineOfUser = sql<number[]>`array(select up.id from ${accountsUp(sql`u.account_id`)} up)`

/** A session that has not ended, of an active user. Impersonation also requires the original session. */
export async function readSession(
  db: Executor,
  tokenHash: Buffer,
  now: Date,
): Promise<SessionRow | undefined> {
  const { rows } = await sql<SessionRow>`
    /* prepared: sessions.read */
    select s.id, s.user_id as "userId", u.username, s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt",
      s.rotated_at as "rotatedAt", case when s.token_hash = ${tokenHash} then null else s.previous_until end as "previousUntil",
      i.id as "impersonatorId", i.username as "impersonatorName", s.original_id as "originalId",
      s.read_only as "readOnly", o.expires_at as "originalExpiresAt",
      s.original_id is null and not s.factor_by_provider and ${demandsFactor} as "needsTwoFactor",
      ${lineOfUser} as "accountIds"
    from sessions s join users u on u.id = s.user_id
      left join sessions o on o.id = s.original_id
      left join users i on i.id = o.user_id
    where (s.token_hash = ${tokenHash} or (s.previous_hash = ${tokenHash} and s.previous_until > ${now}))
      and s.expires_at > ${now} and u.active
      and (s.original_id is null or (o.expires_at > ${now} and i.active))`.execute(db)
  return rows[0]
}

/** When the user signed in, and whether a provider has checked the second factor. */
export function sessionBegun(
  db: Executor,
  id: number,
): Promise<{ at: Date; factorByProvider: boolean } | undefined> {
  return db
    .selectFrom('sessions')
    .select(['created_at as at', 'factor_by_provider as factorByProvider'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Records the use of a session; the original session counts as used during an impersonation. */
export async function touchSession(db: Executor, id: number, at: Date, expiresAt: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_used_at: at, expires_at: expiresAt })
    .where('id', '=', id)
    .execute()
}

/** @returns false when the token is no longer the newest of its session */
export async function replaceToken(
  tx: Executor,
  before: Buffer,
  after: Buffer,
  at: Date,
  previousUntil: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({ token_hash: after, previous_hash: before, previous_until: previousUntil, rotated_at: at })
    .where('token_hash', '=', before)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function listSessions(
  db: Executor,
  userId: number,
  currentId: number | null,
  now: Date,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: Session[]; total: number }> {
  const query = db
    .selectFrom('sessions as s')
    .leftJoin('sessions as o', 'o.id', 's.original_id')
    .leftJoin('users as i', 'i.id', 'o.user_id')
    .where('s.user_id', '=', userId)
    .where('s.expires_at', '>', now)
  const rows = await query
    .select([
      's.id',
      's.user_agent',
      's.ip',
      's.created_at',
      's.last_used_at',
      's.expires_at',
      's.original_id',
      's.read_only',
      'i.username',
    ])
    .orderBy('s.last_used_at', 'desc')
    .orderBy('s.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  const { total } = await query
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const items = rows.map((row) => ({
    id: row.id,
    userAgent: row.user_agent,
    // The address of an impersonating administrator is hidden from the user.
    ip: row.original_id === null ? row.ip : '',
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    current: row.id === currentId,
    impersonatorName: row.original_id === null ? null : (row.username ?? ''),
    looking: row.read_only,
  }))
  return { items, total }
}

/** @returns false when the user has no such session */
export async function endSession(tx: Executor, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Whether a session was begun by single sign-on after this time. */
export async function isSignOnSince(db: Executor, id: number, since: Date): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('sso_client_id', 'is not', null)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return row !== undefined
}

export async function endSessionById(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('id', '=', id).execute()
}

/**
 * Ends all sessions of a user but one, and forgets the user's known browsers and networks.
 * @returns how many
 */
export async function endOtherSessions(tx: Executor, userId: number, keepId: number | null): Promise<number> {
  let query = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (keepId !== null) query = query.where('id', '!=', keepId)
  await forgetKnown(tx, userId)
  return Number((await query.executeTakeFirstOrThrow()).numDeletedRows)
}

/** A user by user name or email, with the number of sessions. */
export async function findWithSessions(
  db: Executor,
  login: string,
): Promise<{ id: number; username: string; accountId: number; sessions: number } | undefined> {
  const user = await findUser(db, login)
  if (user === undefined) return undefined
  const { sessions } = await db
    .selectFrom('sessions')
    .where('user_id', '=', user.id)
    .select(({ fn }) => fn.countAll<number>().as('sessions'))
    .executeTakeFirstOrThrow()
  return { id: user.id, username: user.username, accountId: user.account_id, sessions: Number(sessions) }
}

export async function deleteEndedSessions(db: Executor, now: Date): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}

/** Ends the sessions begun through a single sign-on client. */
export async function endSessionsOfClient(tx: Executor, clientId: number): Promise<void> {
  await tx.deleteFrom('sessions').where('sso_client_id', '=', clientId).execute()
}
