import type { Search } from '@leitstand/contract/search'
import { PacketMonitoring, SmartGroupFilter } from '@leitstand/contract/smartGroups'
import { sql } from 'kysely'
import { accountsBelow } from '../../../platform/db/accountTree.ts'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'

/** The unique index on account and title. */
export const groupTitleIndex = 'smart_groups_title'

export interface GroupRow {
  id: number
  title: string
  description: string
  accountId: number
  accountName: string
  scopeId: number
  filter: SmartGroupFilter
  monitoring: PacketMonitoring | null
  createdAt: Date
  updatedAt: Date
  version: number
}

type Stored = Omit<GroupRow, 'filter' | 'monitoring'> & { filter: unknown; monitoring: unknown }

const columns = sql`g.id, g.title, g.description, g.account_id as "accountId", a.name as "accountName",
  g.scope_id as "scopeId", g.filter, g.monitoring, g.created_at as "createdAt", g.updated_at as "updatedAt", g.version`

/** Filters are stored as JSON and parsed with the current schema. */
const toGroup = (row: Stored): GroupRow => ({
  ...row,
  filter: SmartGroupFilter.parse(row.filter),
  monitoring: PacketMonitoring.nullable().parse(row.monitoring),
})

const orders = {
  title: sql`g.title collate natural_order, g.id`,
  '-title': sql`g.title collate natural_order desc, g.id desc`,
  updatedAt: sql`g.updated_at, g.id`,
  '-updatedAt': sql`g.updated_at desc, g.id desc`,
} as const

export interface GroupsAsked {
  search: Search | null
  /** an id that was typed as the search */
  searchedId: number | null
  accountIds: readonly number[] | undefined
  /** only favourites of this user */
  favoritesOf: number | undefined
  orderBy: keyof typeof orders
  offset: number
  limit: number
}

/** A page of the groups in these scopes. */
export async function listGroups(
  db: Executor,
  scopeIds: readonly number[],
  asked: GroupsAsked,
): Promise<{ items: GroupRow[]; total: number }> {
  const conditions = [sql<boolean>`g.scope_id = ${anyOf(scopeIds)}`]
  if (asked.accountIds) conditions.push(sql<boolean>`g.account_id = ${anyOf(asked.accountIds)}`)
  if (asked.search)
    conditions.push(sql<boolean>`(${matches([sql`g.search`], asked.search)} or g.id = ${asked.searchedId})`)
  if (asked.favoritesOf !== undefined) {
    conditions.push(
      sql<boolean>`g.id in (select object_id from favorites where user_id = ${asked.favoritesOf} and type = 'smartGroup')`,
    )
  }
  const where = sql.join(conditions, sql` and `)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from smart_groups g where ${where}`.execute(db)
  const { rows } = await sql<Stored>`
    select ${columns} from smart_groups g join accounts a on a.id = g.account_id where ${where}
    order by ${orders[asked.orderBy]} limit ${asked.limit} offset ${asked.offset}`.execute(db)
  return { items: rows.map(toGroup), total: counted.rows[0]?.total ?? 0 }
}

/** A group in these scopes; undefined if there is none. */
export async function findGroup(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<GroupRow | undefined> {
  const { rows } = await sql<Stored>`
    select ${columns} from smart_groups g join accounts a on a.id = g.account_id
    where g.id = ${id} and g.scope_id = ${anyOf(scopeIds)}`.execute(db)
  return rows.map(toGroup)[0]
}

/** A group of an account or of one below it; undefined if there is none. */
export async function findGroupWithin(
  db: Executor,
  accountId: number,
  id: number,
): Promise<GroupRow | undefined> {
  const { rows } = await sql<Stored>`
    select ${columns} from smart_groups g join accounts a on a.id = g.account_id
    where g.id = ${id} and g.account_id in (select b.id from ${accountsBelow(accountId)} b)`.execute(db)
  return rows.map(toGroup)[0]
}

/** Locks a group until the end of the transaction. */
export async function lockGroup(tx: Executor, id: number): Promise<void> {
  await sql`select from smart_groups where id = ${id} for update`.execute(tx)
}

/** Counts the groups of an account and locks the account against new ones until the end of the transaction. */
export async function countGroups(tx: Executor, accountId: number): Promise<number> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
  const { rows } = await sql<{ groups: number }>`
    select count(*)::int as groups from smart_groups where account_id = ${accountId}`.execute(tx)
  return rows[0]?.groups ?? 0
}

export interface GroupInput {
  title: string
  description: string
  filter: SmartGroupFilter
  monitoring: PacketMonitoring | null
}

/** @throws on `groupTitleIndex` if the account already has a group with this title */
export async function insertGroup(
  tx: Executor,
  { filter, monitoring, ...group }: GroupInput & { accountId: number; scopeId: number },
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('smart_groups')
    .values({
      account_id: group.accountId,
      scope_id: group.scopeId,
      title: group.title,
      description: group.description,
      filter: jsonb(filter),
      monitoring: monitoring && jsonb(monitoring),
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Its devices are compared with its threshold again. @throws on `groupTitleIndex` */
export async function updateGroup(
  tx: Executor,
  id: number,
  { filter, monitoring, title, description }: GroupInput,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('smart_groups')
    .set(({ eb }) => ({
      title,
      description,
      filter: jsonb(filter),
      monitoring: monitoring && jsonb(monitoring),
      judged: null,
      updated_at: at,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

export async function deleteGroupRow(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('smart_groups').where('id', '=', id).execute()
}

export async function deleteGroupsOf(tx: Executor, accountId: number): Promise<void> {
  await tx.deleteFrom('smart_groups').where('account_id', '=', accountId).execute()
}

/** Those of these accounts that are the account or below it. */
export async function accountsWithin(
  db: Executor,
  accountId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select below.id from ${accountsBelow(accountId)} below where below.id = ${anyOf(ids)} order by below.id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The scopes of accounts, those of twins included. */
export async function scopesOfAccounts(db: Executor, accountIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from scopes where account_id = ${anyOf(accountIds)}`.execute(db)
  return rows.map(({ id }) => id)
}
