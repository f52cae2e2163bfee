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

/** Numbers of twins, with the first one, and of devices below it. */
export async function countBelow(db: Executor, twinId: number): Promise<{ twins: number; devices: number }> {
  const { rows } = await sql<{ twins: number; devices: number }>`
    with recursive down as (
      select id, category from twins where id = ${twinId}
      union
      select c.id, c.category from twins c join down on c.parent_id = down.id)
    select count(*) filter (where category = 'digitalTwin')::int as twins,
      count(*) filter (where category = 'virtualDevice')::int as devices from down`.execute(db)
  return rows[0] ?? { twins: 0, devices: 0 }
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
  await moveSubtree(tx, moved.id, { from: moved.scopeId, to: to.scopeId })
}

/** Twins are moved in parts, so that no statement takes long. */
const movedAtOnce = 5_000

/**
 * Moves what lies in one scope, of a twin and everything below it, to another scope. Twin scopes between it and
 * the first scope become children of the second. The caller must hold `lockMoves`.
 */
export async function moveSubtree(
  tx: Executor,
  twinId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const ids = await lockSubtree(tx, twinId)
  // The twin's own scope may be where the rest goes.
  const below = ids.filter((id) => id !== twinId)
  await moveTwinScopes(tx, below, { from, to })
  const moved: number[] = []
  for (let at = 0; at < ids.length; at += movedAtOnce) {
    const part = ids.slice(at, at + movedAtOnce)
    const { rows } = await sql<{ id: number }>`
      update twins set scope_id = ${to} where scope_id = ${from} and id = any(${ints(part)}) returning id`.execute(
      tx,
    )
    for (const { id } of rows) moved.push(id)
  }
  await runHooks('twinsMoved', tx, moved)
}

/**
 * Locks a twin and all twins below it, so that nothing can be placed below them.
 * @returns the ids of the twins and devices
 */
async function lockSubtree(tx: Executor, twinId: number): Promise<number[]> {
  const known = new Set<number>()
  // Until a twin is locked, others can be created below it.
  for (;;) {
    const { rows } = await sql<{ id: number }>`
      with recursive down as (
        select id from twins where id = ${twinId}
        union
        select c.id from twins c join down on c.parent_id = down.id)
      select id from down`.execute(tx)
    const found = rows.map(({ id }) => id).filter((id) => !known.has(id))
    if (found.length === 0) return [...known]
    await runHooks('beforeTwinsMove', tx, found)
    await sql`
      select from twins where id = any(${ints(found)}) and category = 'digitalTwin' order by id for update`.execute(
      tx,
    )
    for (const id of found) known.add(id)
  }
}

/**
 * Disables a twin and the devices below it, or enables it and the devices that were disabled with it, as far as these are
 * in the scopes. A device stays disabled while another twin above it is, and is enabled with that one.
 * @returns ids of the devices that changed
 */
export async function setSubtreeDisabled(
  tx: Executor,
  scopeIds: readonly number[],
  twinId: number,
  disabled: boolean,
  now: Date,
): Promise<number[]> {
  const { rows } = await (disabled
    ? disableBelow(twinId, scopeIds, now)
    : enableWith(twinId, scopeIds, now)
  ).execute(tx)
  const deviceIds = rows.filter(({ category }) => category === 'virtualDevice').map(({ id }) => id)
  await runHooks('devicesSwitched', tx, deviceIds)
  return deviceIds
}

/**
 * Disables a twin and these devices, as far as they are still enabled, below it and in the scopes.
 * @returns ids of the devices that changed
 */
export async function disableAgain(
  tx: Executor,
  {
    scopeIds,
    twinId,
    deviceIds,
  }: { scopeIds: readonly number[]; twinId: number; deviceIds: readonly number[] },
  now: Date,
): Promise<number[]> {
  const { rows } = await sql<Switched>`
    with recursive down as (
      select id from twins where id = ${twinId}
      union
      select c.id from twins c join down on c.parent_id = down.id)
    update twins t set disabled = true, disabled_with = nullif(${twinId}, t.id), updated_at = ${now}, version = t.version + 1
    from down
    where t.id = down.id and not t.disabled and (t.id = ${twinId} or (t.category = 'virtualDevice'
      and t.id = any(${ints(deviceIds)}) and t.scope_id = any(${ints(scopeIds)})))
    returning t.id, t.category`.execute(tx)
  const switched = rows.filter(({ category }) => category === 'virtualDevice').map(({ id }) => id)
  await runHooks('devicesSwitched', tx, switched)
  return switched
}

interface Switched {
  id: number
  category: string
}

function disableBelow(twinId: number, scopeIds: readonly number[], now: Date) {
  return sql<Switched>`
    with recursive down as (
      select id from twins where id = ${twinId}
      union
      select c.id from twins c join down on c.parent_id = down.id)
    update twins t set disabled = true, disabled_with = nullif(${twinId}, t.id), updated_at = ${now}, version = t.version + 1
    from down
    where t.id = down.id and not t.disabled
      and (t.id = ${twinId} or (t.category = 'virtualDevice' and t.scope_id = any(${ints(scopeIds)})))
    returning t.id, t.category`
}

function enableWith(twinId: number, scopeIds: readonly number[], now: Date) {
  return sql<Switched>`
    with others as (
      select t.id, (
        with recursive up as (
          select p.id, p.parent_id, p.disabled, 1 as level from twins p where p.id = t.parent_id
          union all
          select p.id, p.parent_id, p.disabled, up.level + 1 from up join twins p on p.id = up.parent_id)
        select up.id from up where up.disabled and up.id <> ${twinId} order by up.level limit 1) as disabled_with
      from twins t
      where t.id = ${twinId} or (t.disabled_with = ${twinId} and t.scope_id = any(${ints(scopeIds)}))),
    kept as (
      update twins t set disabled_with = others.disabled_with
      from others where t.id = others.id and t.id <> ${twinId} and others.disabled_with is not null)
    update twins t set disabled = false, disabled_with = null, updated_at = ${now}, version = t.version + 1
    from others
    where t.id = others.id and t.disabled and (t.id = ${twinId} or others.disabled_with is null)
    returning t.id, t.category`
}
