import type { Search } from '@leitstand/contract/search'
import type { DeviceView } from '@leitstand/contract/views'
import { DeviceFilters } from '@leitstand/contract/virtualdevices'
import { sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'

/** The unique index on user and title. */
export const titleIndex = 'device_views_title'

const base = (db: Executor, userId: number) =>
  db
    .selectFrom('device_views as v')
    .innerJoin('accounts as a', 'a.id', 'v.account_id')
    .where('v.user_id', '=', userId)

const columns = [
  'v.id',
  'v.title',
  'v.account_id',
  'a.name as account_name',
  'v.filter',
  'v.created_at',
  'v.updated_at',
  'v.version',
] as const

function toView(row: {
  id: number
  title: string
  account_id: number
  account_name: string
  filter: unknown
  created_at: Date
  updated_at: Date
  version: number
}): DeviceView {
  return {
    id: row.id,
    title: row.title,
    accountId: row.account_id,
    accountName: row.account_name,
    filter: DeviceFilters.parse(row.filter),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  }
}

/** A page of a user's views by title. */
export async function listViews(
  db: Executor,
  userId: number,
  filter: { search: Search | null; accountIds: readonly number[] | undefined },
  page: { offset: number; limit: number },
): Promise<{ items: DeviceView[]; total: number }> {
  let query = base(db, userId)
  if (filter.search) query = query.where(matches([sql`v.search`], filter.search))
  if (filter.accountIds) query = query.where('v.account_id', '=', anyOf(filter.accountIds))
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await query
    .select(columns)
    .orderBy(sql`v.title collate natural_order`)
    .orderBy('v.id')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  return { items: rows.map(toView), total }
}

/** A saved filter of this user; undefined if it does not exist or belongs to another user. */
export async function findView(db: Executor, userId: number, id: number): Promise<DeviceView | undefined> {
  const row = await base(db, userId).where('v.id', '=', id).select(columns).executeTakeFirst()
  return row && toView(row)
}

/** Counts the views of a user and locks the user against new ones until the end of the transaction. */
export async function countViews(
  tx: Executor,
  userId: number,
): Promise<{ views: number; accountId: number }> {
  const { account_id: accountId } = await tx
    .selectFrom('users')
    .select('account_id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { views } = await tx
    .selectFrom('device_views')
    .select(({ fn }) => fn.countAll<number>().as('views'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { views, accountId }
}

/** @throws on `titleIndex` if the user already has a view with this title */
export async function insertView(
  tx: Executor,
  view: { userId: number; accountId: number; title: string; filter: DeviceFilters },
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('device_views')
    .values({
      user_id: view.userId,
      account_id: view.accountId,
      title: view.title,
      filter: jsonb(view.filter),
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * @returns whether the version still matched
 * @throws on `titleIndex` if the user has another view with this title
 */
export async function updateView(
  tx: Executor,
  { id, version, title, filter }: { id: number; version: number; title: string; filter: DeviceFilters },
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('device_views')
    .set({ title, filter: jsonb(filter), updated_at: at, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteView(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('device_views').where('id', '=', id).execute()
}
