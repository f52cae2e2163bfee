import { sql } from 'kysely'
import type { Db, Executor } from '../../../platform/db/index.ts'
import { countAttempt, isLocked, lockMs } from '../lockout.ts'

/** Whether a sign-in attempt may proceed. If the `last` one fails, the counter is locked for a while. */
export type Attempt = 'allowed' | 'last' | 'locked'

/**
 * Which wrong passwords and codes are counted together: those of all strangers signing in as a user, of a
 * browser or network the user has signed in from before, of a user who is already signed in, or of an unknown
 * name.
 */
export type Counter =
  | { kind: 'stranger' | 'proof'; userId: number }
  | { kind: 'device' | 'network'; id: number }
  | { kind: 'unknown'; nameHash: Buffer }

/** Where a counter is stored: its table, row and columns. */
function placeOf(counter: Counter) {
  switch (counter.kind) {
    case 'stranger':
      return place('users', sql`id = ${counter.userId}`)
    case 'proof':
      return place('users', sql`id = ${counter.userId}`, 'failed_proofs', 'proofs_locked_until')
    case 'device':
      return place('known_devices', sql`id = ${counter.id}`)
    case 'network':
      return place('known_networks', sql`id = ${counter.id}`)
    case 'unknown':
      return place('unknown_names', sql`name_hash = ${counter.nameHash}`)
  }
}

function place(table: string, row: ReturnType<typeof sql>, failed = 'failed_logins', until = 'locked_until') {
  return { table: sql.table(table), row, failed: sql.ref(failed), until: sql.ref(until) }
}

/**
 * Counts an attempt before its password is checked.
 * @returns undefined when the known browser or network was deleted concurrently
 */
export function reserveAttempt(db: Db, counter: Counter, now: Date): Promise<Attempt | undefined> {
  return db.transaction().execute(async (tx) => {
    if (counter.kind === 'unknown') await noteUnknown(tx, counter.nameHash, now)
    const { table, row, failed, until } = placeOf(counter)
    const { rows } = await sql<{ failed: number; lockedUntil: Date | null }>`
      select ${failed} as failed, ${until} as "lockedUntil" from ${table} where ${row} for update`.execute(tx)
    const [attempts] = rows
    if (!attempts) return undefined
    if (isLocked(attempts, now)) return 'locked'
    const next = countAttempt(attempts, now)
    await sql`update ${table} set ${failed} = ${next.failed}, ${until} = ${next.lockedUntil} where ${row}`.execute(
      tx,
    )
    return next.lockedUntil === null ? 'allowed' : 'last'
  })
}

/** Takes back an attempt that did not fail. */
export async function releaseAttempt(db: Executor, counter: Counter): Promise<void> {
  const { table, row, failed, until } = placeOf(counter)
  await sql`update ${table} set ${failed} = greatest(${failed} - 1, 0), ${until} = null where ${row}`.execute(
    db,
  )
}

/** Resets the counter after a successful sign-in. */
export async function clearAttempts(tx: Executor, counter: Counter): Promise<void> {
  const { table, row, failed, until } = placeOf(counter)
  await sql`update ${table} set ${failed} = 0, ${until} = null where ${row}`.execute(tx)
}

async function noteUnknown(tx: Executor, nameHash: Buffer, now: Date): Promise<void> {
  await tx
    .insertInto('unknown_names')
    .values({ name_hash: nameHash, failed_logins: 0, at: now })
    .onConflict((conflict) => conflict.column('name_hash').doUpdateSet({ at: now }))
    .execute()
}

/** Deletes unknown names whose lock has expired. */
export async function deleteOldUnknown(db: Executor, now: Date): Promise<void> {
  await db
    .deleteFrom('unknown_names')
    .where('at', '<', new Date(now.getTime() - lockMs))
    .execute()
}

/** Lifts every lock of a user: of strangers, known browsers and networks, and of proofs while signed in. */
export async function liftLocks(tx: Executor, userId: number): Promise<void> {
  const free = { failed_logins: 0, locked_until: null }
  await tx
    .updateTable('users')
    .set({ ...free, failed_proofs: 0, proofs_locked_until: null })
    .where('id', '=', userId)
    .execute()
  await tx.updateTable('known_devices').set(free).where('user_id', '=', userId).execute()
  await tx.updateTable('known_networks').set(free).where('user_id', '=', userId).execute()
}
