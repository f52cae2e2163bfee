import { PasswordPolicy } from '@leitstand/contract/signin'
import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { leastPolicy } from './policy.ts'

export type TokenPurpose = 'reset' | 'invite'

export async function insertToken(
  tx: Executor,
  token: { hash: Buffer; userId: number; purpose: TokenPurpose; at: Date; expiresAt: Date },
): Promise<void> {
  await tx
    .insertInto('password_tokens')
    .values({
      token_hash: token.hash,
      user_id: token.userId,
      purpose: token.purpose,
      created_at: token.at,
      expires_at: token.expiresAt,
    })
    .execute()
}

/** The active user of a token that is still valid. */
export function readToken(db: Executor, hash: Buffer, now: Date) {
  return db
    .selectFrom('password_tokens')
    .innerJoin('users', 'users.id', 'password_tokens.user_id')
    .leftJoin('mails', 'mails.id', 'password_tokens.mail_id')
    .select([
      'mails.seen_by as seenBy',
      'users.id',
      'users.account_id as accountId',
      'users.username',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.properties',
      'users.password_hash as passwordHash',
    ])
    .where('token_hash', '=', hash)
    .where('expires_at', '>', now)
    .where('users.active', '=', true)
    .executeTakeFirst()
}

/** Records the mail a token was sent with. */
export async function setTokenMail(tx: Executor, hash: Buffer, mailId: number): Promise<void> {
  await tx.updateTable('password_tokens').set({ mail_id: mailId }).where('token_hash', '=', hash).execute()
}

/** Consumes a token. @returns false when it was already used */
export async function takeToken(tx: Executor, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('password_tokens')
    .where('token_hash', '=', hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteTokensOf(tx: Executor, userId: number): Promise<void> {
  await tx.deleteFrom('password_tokens').where('user_id', '=', userId).execute()
}

export async function deleteEndedTokens(db: Executor, now: Date): Promise<void> {
  await db.deleteFrom('password_tokens').where('expires_at', '<=', now).execute()
}

/** Links to set a password sent to a user since a time. Locks the user until the transaction ends. */
export async function countTokens(tx: Executor, userId: number, since: Date): Promise<number> {
  // Concurrent requests for this user wait until this transaction has added its link.
  await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  const { count } = await tx
    .selectFrom('password_tokens')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('purpose', '=', 'reset')
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Sets a password and lifts a lock.
 * @param byLink whether it was set by a link, which proves access to the user's mailbox
 */
export async function storePassword(
  tx: Executor,
  userId: number,
  passwordHash: string,
  byLink: boolean,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      failed_logins: 0,
      locked_until: null,
      failed_proofs: 0,
      proofs_locked_until: null,
      updated_at: sql`now()`,
      ...(byLink ? { email_proven: true } : {}),
    })
    .where('id', '=', userId)
    .execute()
}

/** The password rules of an account: its own, otherwise those of the nearest one above that has any. */
export async function readPolicy(db: Executor, accountId: number): Promise<PasswordPolicy> {
  const { rows } = await sql<{ policy: unknown }>`
    select a.password_policy as policy
    from ${accountsUp(accountId)} up join accounts a on a.id = up.id
    where a.password_policy is not null order by up.distance limit 1`.execute(db)
  return rows[0] ? PasswordPolicy.parse(rows[0].policy) : leastPolicy
}

export async function readAccountName(db: Executor, accountId: number): Promise<string> {
  const row = await db.selectFrom('accounts').select('name').where('id', '=', accountId).executeTakeFirst()
  return row?.name ?? ''
}
