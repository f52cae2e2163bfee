import type { Search } from '@leitstand/contract/search'
import type { ViewKind } from '@leitstand/contract/views'
import { sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import type { Kind } from './kinds.ts'

/** The unique index on user, kind and title. */
export const titleIndex = 'device_views_title'

/** A saved filter, as its user or somebody it is shared with sees it. */
export interface View<Filter> {
  id: number
  title: string
  accountId: number
  accountName: string
  filter: Filter
  shared: boolean
  own: boolean
  ownerName: string
  createdAt: string
  updatedAt: string
  version: number
}

/** Own filters, and those shared with the account that the user belongs to. */
const base = (db: Executor, kind: Kind<object>, userId: number) =>
  db
    .selectFrom('device_views as v')
    .innerJoin('accounts as a', 'a.id', 'v.account_id')
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .where('v.kind', '=', kind.name)
    .where(
      sql<boolean>`(v.user_id = ${userId} or (v.shared and v.account_id = (select account_id from users where id = ${userId})))`,
    )

const columns = [
  'v.id',
  'v.title',
  'v.account_id',
  'a.name as account_name',
  'v.filter',
  'v.shared',
  'v.user_id',
  'u.username',
  'v.created_at',
  'v.updated_at',
  'v.version',
] as const

interface Row {
  id: number
  title: string
  account_id: number
  account_name: string
  filter: unknown
  shared: boolean
  user_id: number
  username: string
  created_at: Date
  updated_at: Date
  version: number
}

function toView<Filter extends object>(row: Row, kind: Kind<Filter>, userId: number): View<Filter> {
  return {
    id: row.id,
    title: row.title,
    accountId: row.account_id,
    accountName: row.account_name,
    filter: kind.parse(row.filter),
    shared: row.shared,
    own: row.user_id === userId,
    ownerName: row.username,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  }
}

/** A page of the filters a user sees, by title. */
export async function listViews<Filter extends object>(
  db: Executor,
  kind: Kind<Filter>,
  userId: number,
  filter: { search: Search | null; accountIds: readonly number[] | undefined },
  page: { offset: number; limit: number },
): Promise<{ items: View<Filter>[]; total: number }> {
  let query = base(db, kind, userId)
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
  return { items: rows.map((row) => toView(row, kind, userId)), total }
}

/** A saved filter that this user sees; undefined if there is none. */
export async function findView<Filter extends object>(
  db: Executor,
  kind: Kind<Filter>,
  userId: number,
  id: number,
): Promise<View<Filter> | undefined> {
  const row = await base(db, kind, userId).where('v.id', '=', id).select(columns).executeTakeFirst()
  return row && toView(row, kind, userId)
}

/** Counts the views of a user and locks the user against new ones until the end of the transaction. */
export async function countViews(
  tx: Executor,
  kind: Kind<object>,
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
    .where('kind', '=', kind.name)
    .executeTakeFirstOrThrow()
  return { views, accountId }
}

/** @throws on `titleIndex` if the user already has a view with this title */
export async function insertView(
  tx: Executor,
  view: {
    kind: ViewKind
    userId: number
    accountId: number
    title: string
    filter: object
    shared: boolean
  },
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('device_views')
    .values({
      kind: view.kind,
      shared: view.shared,
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
  {
    id,
    version,
    title,
    filter,
    shared,
  }: { id: number; version: number; title: string; filter: object; shared: boolean },
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('device_views')
    .set({ title, filter: jsonb(filter), shared, updated_at: at, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteView(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('device_views').where('id', '=', id).execute()
}
