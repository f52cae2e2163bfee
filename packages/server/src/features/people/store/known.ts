import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { Counter } from './attempts.ts'

/** Browsers and networks remembered per user; the least recently used are forgotten first. */
export const knownMax = 20

/**
 * The counter of the browser a user has signed in with before, otherwise of the network; undefined: a
 * stranger.
 */
export async function findKnown(
  db: Executor,
  of: {
    userId: number
    tokenHash: Buffer | null
    devicesSince: Date
    network: string | null
    networksSince: Date
  },
): Promise<Counter | undefined> {
  const { rows } = await sql<{ kind: 'device' | 'network'; id: number }>`
    select 'device' as kind, id from known_devices
    where user_id = ${of.userId} and token_hash = ${of.tokenHash} and used_at > ${of.devicesSince}
    union all
    select 'network', id from known_networks
    where user_id = ${of.userId} and network = ${of.network} and used_at > ${of.networksSince}
    order by kind limit 1`.execute(db)
  return rows[0]
}

/**
 * Remembers the browser of a user.
 * @param before hash of its previous cookie, if any; other users of the browser stay known by the new one
 */
export async function keepDevice(
  tx: Executor,
  { userId, before, tokenHash, at }: { userId: number; before: Buffer | null; tokenHash: Buffer; at: Date },
): Promise<void> {
  if (before !== null)
    await tx
      .updateTable('known_devices')
      .set({ token_hash: tokenHash })
      .where('token_hash', '=', before)
      .execute()
  const fresh = { used_at: at, failed_logins: 0, locked_until: null }
  await tx
    .insertInto('known_devices')
    .values({ user_id: userId, token_hash: tokenHash, ...fresh })
    .onConflict((conflict) => conflict.columns(['token_hash', 'user_id']).doUpdateSet(fresh))
    .execute()
  await sql`
    delete from known_devices where id in (
      select id from known_devices where user_id = ${userId}
      order by used_at desc, id desc offset ${knownMax})`.execute(tx)
}

/** Remembers the network of a user. */
export async function keepNetwork(
  tx: Executor,
  { userId, network, at }: { userId: number; network: string; at: Date },
): Promise<void> {
  const fresh = { used_at: at, failed_logins: 0, locked_until: null }
  await tx
    .insertInto('known_networks')
    .values({ user_id: userId, network, ...fresh })
    .onConflict((conflict) => conflict.columns(['user_id', 'network']).doUpdateSet(fresh))
    .execute()
  await sql`
    delete from known_networks where id in (
      select id from known_networks where user_id = ${userId}
      order by used_at desc, id desc offset ${knownMax})`.execute(tx)
}

/** Forgets every browser and network of a user. */
export async function forgetKnown(tx: Executor, userId: number): Promise<void> {
  await tx.deleteFrom('known_devices').where('user_id', '=', userId).execute()
  await tx.deleteFrom('known_networks').where('user_id', '=', userId).execute()
}

/** Forgets browsers and networks not used since these times. */
export async function deleteOldKnown(db: Executor, devices: Date, networks: Date): Promise<void> {
  await db.deleteFrom('known_devices').where('used_at', '<=', devices).execute()
  await db.deleteFrom('known_networks').where('used_at', '<=', networks).execute()
}

/**
 * Whether to mail a user about a lock now; records the time if so.
 * @param since the last such mail must be no later than this
 */
export async function takeLockMail(tx: Executor, userId: number, now: Date, since: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ lock_mail_at: now })
    .where('id', '=', userId)
    .where('active', '=', true)
    .where((where) => where.or([where('lock_mail_at', 'is', null), where('lock_mail_at', '<=', since)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
