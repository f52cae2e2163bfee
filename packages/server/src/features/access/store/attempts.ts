import { sql } from 'kysely'
import type { Db, Executor } from '../../../platform/db/index.ts'
import { countAttempt, isLocked, lockMs } from '../lockout.ts'

/** Whether an attempt to sign in may go on; after the last one that fails, everything is locked for a while. */
export type Attempt = 'allowed' | 'last' | 'locked'

interface Counted {
  failed_logins: number
  locked_until: Date | null
}

const oneLess = { failed_logins: sql<number>`greatest(failed_logins - 1, 0)`, locked_until: null }

/** Counts an attempt to sign in as a user. */
export function reserveAttempt(db: Db, userId: number, now: Date): Promise<Attempt> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('users')
      .select(['failed_logins', 'locked_until'])
      .where('id', '=', userId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    return count(row, now, (counted) =>
      tx.updateTable('users').set(counted).where('id', '=', userId).execute(),
    )
  })
}

/** Takes back an attempt that was no wrong guess. */
export async function releaseAttempt(db: Executor, userId: number): Promise<void> {
  await db.updateTable('users').set(oneLess).where('id', '=', userId).execute()
}

/** Counts an attempt with a name nobody has, in the same steps. */
export function reserveUnknown(db: Db, nameHash: Buffer, now: Date): Promise<Attempt> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('unknown_names')
      .values({ name_hash: nameHash, failed_logins: 0, at: now })
      .onConflict((conflict) => conflict.column('name_hash').doUpdateSet({ at: now }))
      .returning(['failed_logins', 'locked_until'])
      .executeTakeFirstOrThrow()
    return count(row, now, (counted) =>
      tx.updateTable('unknown_names').set(counted).where('name_hash', '=', nameHash).execute(),
    )
  })
}

/** Takes back an attempt in which nothing was compared. */
export async function releaseUnknown(db: Executor, nameHash: Buffer): Promise<void> {
  await db.updateTable('unknown_names').set(oneLess).where('name_hash', '=', nameHash).execute()
}

/** Forgets names whose lock would have ended. */
export async function deleteOldUnknown(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom('unknown_names')
    .where('at', '<', new Date(now.getTime() - lockMs))
    .execute()
}

/** @param save into the row the count was read from, which is locked until then */
async function count(
  { failed_logins: failed, locked_until: lockedUntil }: Counted,
  now: Date,
  save: (counted: Counted) => Promise<unknown>,
): Promise<Attempt> {
  const attempts = { failed, lockedUntil }
  if (isLocked(attempts, now)) return 'locked'
  const next = countAttempt(attempts, now)
  await save({ failed_logins: next.failed, locked_until: next.lockedUntil })
  return next.lockedUntil === null ? 'allowed' : 'last'
}
