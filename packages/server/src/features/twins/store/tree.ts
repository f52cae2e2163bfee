import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { runHooks } from '../../objects/index.ts'
import { moveScope, moveTwinScopes } from '../../rights/index.ts'
import { ints } from './filters.ts'
import type { ObjectRow, Place } from './objects.ts'

/** First key of the advisory lock for moves within an account: two concurrent moves could form a cycle. */
const moveLock = 7_211_010

/** Waits for other moves in the account; holds the lock until the end of the transaction. */
export async function lockMoves(tx: Executor, accountId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${moveLock}, ${accountId})`.execute(tx)
}

/** Whether a twin is another one or one of its descendants. */
export async function isSameOrBelow(db: Executor, id: number, ancestorId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    with recursive up as (
      select id, parent_id from twins where id = ${id}
      union
      select p.id, p.parent_id from twins p join up on p.id = up.parent_id)
    select exists (select from up where id = ${ancestorId}) as found`.execute(db)
  return rows[0]?.found ?? false
}

/**
 * Moves a subtree into the scope of its new parent. Twins with their own scope keep it, including everything
 * below them; these scopes become children of the new parent's scope.
 */
export async function moveScopes(tx: Executor, moved: ObjectRow, to: Place): Promise<void> {
  if (to.scopeId === moved.scopeId) return
  const own = await tx.selectFrom('scopes').select('id').where('twin_id', '=', moved.id).executeTakeFirst()
  if (own) {
    await moveScope(tx, own.id, to.scopeId)
    return
  }
  const below = sql<{ id: number }>`
    with recursive down as (
      select id from twins where id = ${moved.id}
      union
      select c.id from twins c join down on c.parent_id = down.id)
    select id from down`
  const ids = (await below.execute(tx)).rows.map(({ id }) => id)
  await moveTwinScopes(tx, ids, { from: moved.scopeId, to: to.scopeId })
  await runHooks('beforeTwinsMove', tx, ids)
  const { rows } = await sql<{ id: number }>`
    update twins set scope_id = ${to.scopeId} where scope_id = ${moved.scopeId} and id = any(${ints(ids)})
    returning id`.execute(tx)
  await runHooks(
    'twinsMoved',
    tx,
    rows.map(({ id }) => id),
  )
}

/**
 * Disables or enables a twin and the devices below it that are in these scopes.
 * @returns ids of the devices that changed
 */
export async function setSubtreeDisabled(
  tx: Executor,
  scopeIds: readonly number[],
  twinId: number,
  disabled: boolean,
  now: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number; category: string }>`
    with recursive down as (
      select id from twins where id = ${twinId}
      union
      select c.id from twins c join down on c.parent_id = down.id)
    update twins t set disabled = ${disabled}, updated_at = ${now}, version = t.version + 1
    from down
    where t.id = down.id and t.disabled <> ${disabled}
      and (t.id = ${twinId} or (t.category = 'virtualDevice' and t.scope_id = any(${ints(scopeIds)})))
    returning t.id, t.category`.execute(tx)
  const deviceIds = rows.filter(({ category }) => category === 'virtualDevice').map(({ id }) => id)
  await runHooks('devicesSwitched', tx, deviceIds)
  return deviceIds
}
