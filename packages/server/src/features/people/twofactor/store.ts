import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'

export function readFactor(db: Executor, userId: number) {
  return db
    .selectFrom('second_factors')
    .select(['secret', 'confirmed_at as confirmedAt'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Stores an unconfirmed secret. @returns false when there is a confirmed one */
export async function storeFactor(tx: Executor, userId: number, secret: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into second_factors (user_id, secret, created_at) values (${userId}, ${secret}, ${now})
    on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at, last_step = 0
      where second_factors.confirmed_at is null
    returning user_id`.execute(tx)
  return rows.length > 0
}

/**
 * Consumes a time step: its codes and older ones become invalid.
 * @returns false when it was already consumed
 */
export async function takeStep(tx: Executor, userId: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** @returns false when it was confirmed concurrently */
export async function confirmFactor(tx: Executor, userId: number, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('second_factors')
    .set({ confirmed_at: now })
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteFactor(tx: Executor, userId: number): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx.deleteFrom('second_factors').where('user_id', '=', userId).execute()
}

export async function replaceRecoveryCodes(
  tx: Executor,
  userId: number,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
    .execute()
}

/** @returns false when the code is unknown or already used */
export async function takeRecoveryCode(
  tx: Executor,
  userId: number,
  hash: Buffer,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function countRecoveryCodes(db: Executor, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Whether an account requires a second factor, and whether one above it does. */
export async function readDemand(
  db: Executor,
  accountId: number,
): Promise<{ required: boolean; inherited: boolean; version: number } | undefined> {
  const { rows } = await sql<{ required: boolean; inherited: boolean; version: number }>`
    select two_factor_required as required, version,
      exists (
        select from ${accountsUp(accountId)} up join accounts a on a.id = up.id
        where up.distance > 0 and a.two_factor_required) as inherited
    from accounts where id = ${accountId}`.execute(db)
  return rows[0]
}
