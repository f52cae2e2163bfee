import { sql } from 'kysely'
import type { Db, Executor } from '../../platform/db/index.ts'
import { countAttempt, isLocked, lockMs } from './lockout.ts'

/**
 * Counts an attempt with a name nobody has, in the same steps as `reserveAttempt` does for a user.
 * @returns allowed, last (locked from now on), or locked
 */
export function reserveUnknown(db: Db, nameHash: Buffer, now: Date): Promise<'allowed' | 'last' | 'locked'> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('unknown_names')
      .values({ name_hash: nameHash, failed_logins: 0, at: now })
      .onConflict((conflict) => conflict.column('name_hash').doUpdateSet({ at: now }))
      .returning(['failed_logins', 'locked_until'])
      .executeTakeFirstOrThrow()
    const attempts = { failed: row.failed_logins, lockedUntil: row.locked_until }
    if (isLocked(attempts, now)) return 'locked'
    const next = countAttempt(attempts, now)
    await tx
      .updateTable('unknown_names')
      .set({ failed_logins: next.failed, locked_until: next.lockedUntil })
      .where('name_hash', '=', nameHash)
      .execute()
    return next.lockedUntil === null ? 'allowed' : 'last'
  })
}

/** Takes back an attempt in which nothing was compared. */
export async function releaseUnknown(db: Executor, nameHash: Buffer): Promise<void> {
  await db
    .updateTable('unknown_names')
    .set({ failed_logins: sql`greatest(failed_logins - 1, 0)`, locked_until: null })
    .where('name_hash', '=', nameHash)
    .execute()
}

/** Forgets names whose lock would have ended. */
export async function deleteOldUnknown(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom('unknown_names')
    .where('at', '<', new Date(now.getTime() - lockMs))
    .execute()
}
