import type { Favorite } from '@leitstand/contract'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { kinds } from '../../objects/index.ts'
import { userIdOf } from '../person.ts'

/** Favourites one user may have. */
export const favoritesMax = 200

/**
 * Objects the caller may see, as (type, id, title). Joined on every read, so that favourites of deleted
 * objects, or of those the user may no longer see, disappear.
 */
function visibleObjects(caller: Caller) {
  const parts = selects(caller).map(
    ([kind, rows]) => sql`select ${kind}::text as type, id, title from (${rows}) as t where visible`,
  )
  return sql<{ type: Favorite['type']; id: number; title: string }>`(${sql.join(parts, sql` union all `)})`
}

/** Kinds that can be favourites, with the select of all their objects. */
const selects = (caller: Caller) =>
  kinds().flatMap(([kind, { favourite, things }]) => {
    if (!favourite || !things) return []
    return [[kind, favourite === true ? things(caller) : favourite(caller)] as const]
  })

/** The caller's favourites, newest last. @throws AppError NO_PERMISSION for a program with a key */
export async function listFavorites(db: Executor, caller: Caller): Promise<Favorite[]> {
  const { rows } = await sql<Omit<Favorite, 'createdAt'> & { createdAt: Date }>`
    select f.id, f.type, f.object_id as "objectId", o.title, f.created_at as "createdAt"
    from favorites f join ${visibleObjects(caller)} o on o.type = f.type and o.id = f.object_id
    where f.user_id = ${userIdOf(caller)} order by f.id limit ${favoritesMax}`.execute(db)
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
}

export async function isVisible(
  db: Executor,
  caller: Caller,
  type: string,
  objectId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${visibleObjects(caller)} o where o.type = ${type} and o.id = ${objectId}`.execute(db)
  return rows.length > 0
}

/** Adds a favourite; adding it twice changes nothing. */
export async function insertFavorite(
  db: Executor,
  userId: number,
  type: string,
  objectId: number,
): Promise<void> {
  await db
    .insertInto('favorites')
    .values({ user_id: userId, type, object_id: objectId })
    .onConflict((conflict) => conflict.columns(['user_id', 'type', 'object_id']).doNothing())
    .execute()
}

/** Deletes all favourites of an object that is being deleted. */
export async function forgetFavorites(tx: Executor, type: string, objectId: number): Promise<void> {
  await tx.deleteFrom('favorites').where('type', '=', type).where('object_id', '=', objectId).execute()
}

export async function countFavorites(db: Executor, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('favorites')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes favourites of the caller whose objects are gone. */
export async function forgetGone(db: Executor, caller: Caller): Promise<void> {
  const there = selects(caller).map(
    ([kind, rows]) => sql`(f.type = ${kind} and f.object_id in (select id from (${rows}) as t))`,
  )
  await sql`
    delete from favorites f
    where f.user_id = ${userIdOf(caller)} and not (${sql.join(there, sql` or `)})`.execute(db)
}

/** @returns whether the user had it */
export async function deleteFavorite(db: Executor, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('favorites')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
