import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

export interface SigningKeyRow {
  keyId: string
  /** sealed */
  privateKey: string
  createdAt: Date
}

/** Newest first. Takes a lock until the transaction ends, so that only one process creates a missing key. */
export async function listSigningKeys(tx: Executor): Promise<SigningKeyRow[]> {
  await sql`select pg_advisory_xact_lock(hashtext('oauth_keys'))`.execute(tx)
  const { rows } = await sql<SigningKeyRow>`
    select key_id as "keyId", private_key as "privateKey", created_at as "createdAt"
    from oauth_keys order by id desc`.execute(tx)
  return rows
}

export async function insertSigningKey(tx: Executor, key: SigningKeyRow): Promise<void> {
  await tx
    .insertInto('oauth_keys')
    .values({ key_id: key.keyId, private_key: key.privateKey, created_at: key.createdAt })
    .execute()
}

export async function deleteOtherKeys(tx: Executor, keyId: string): Promise<void> {
  await tx.deleteFrom('oauth_keys').where('key_id', '!=', keyId).execute()
}
