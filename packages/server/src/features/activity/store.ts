import type { Activity } from '@leitstand/contract'
import { parseSearch } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { int4Array, jsonbArray, textArray } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'

export interface NewActivity {
  accountId: number | null
  userId: number | null
  userName: string
  ip: string
  /** the user who really acted */
  impersonator: { readonly userId: number; readonly name: string } | null
  /** the application that acted for the user */
  applicationName: string | null
  action: string
  subject: string
  objectId: number | null
  objectTitle: string
  changes?: object | null | undefined
}

export async function insertActivities(tx: Executor, entries: readonly NewActivity[]): Promise<void> {
  if (entries.length === 0) return
  const column = <T>(of: (entry: NewActivity) => T) => entries.map(of)
  await sql`
    /* prepared: activity.insert */
    insert into activities (account_id, user_id, user_name, ip, impersonator_id, impersonator_name, application_name,
      action, subject, object_id, object_title, changes)
    select * from unnest(${int4Array(column(({ accountId }) => accountId))}::int4[],
      ${int4Array(column(({ userId }) => userId))}::int4[], ${textArray(column(({ userName }) => userName))}::text[],
      ${textArray(column(({ ip }) => ip))}::text[],
      ${int4Array(column(({ impersonator }) => impersonator?.userId ?? null))}::int4[],
      ${textArray(column(({ impersonator }) => impersonator?.name ?? null))}::text[],
      ${textArray(column(({ applicationName }) => applicationName))}::text[],
      ${textArray(column(({ action }) => action))}::text[], ${textArray(column(({ subject }) => subject))}::text[],
      ${int4Array(column(({ objectId }) => objectId))}::int4[],
      ${textArray(column(({ objectTitle }) => objectTitle.slice(0, 200)))}::text[],
      ${jsonbArray(column(({ changes }) => (changes ? JSON.stringify(changes) : null)))}::jsonb[])`.execute(
    tx,
  )
}

export interface ActivityFilter {
  search?: string | undefined
  accountIds?: number[] | undefined
  userIds?: number[] | undefined
  subject?: string | undefined
  action?: string | undefined
  objectId?: number | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The entries a caller may see. */
export interface Sight {
  /** null: entries of every account, including deleted ones, and those about the whole platform */
  accountIds: readonly number[] | null
  /** also entries about the whole platform */
  withSystem: boolean
}

/**
 * The accounts whose own scope is one of these.
 * @param withSystem the caller administers the installation; if they also manage every account, they see all
 *   entries
 */
export async function sightOf(
  db: Executor,
  scopeIds: readonly number[],
  withSystem: boolean,
): Promise<Sight> {
  const { rows } = await sql<{ id: number; seen: boolean }>`
    select account_id as id, id = any(${[...scopeIds]}::int[]) as seen from scopes where twin_id is null`.execute(
    db,
  )
  const seen = rows.filter((row) => row.seen).map(({ id }) => id)
  return { accountIds: withSystem && seen.length === rows.length ? null : seen, withSystem }
}

/**
 * Up to this many rows in total, the newest entries of each account are read separately by index. Beyond it
 * the log is read from its end, which for a few small accounts in a large log means filtering row by row.
 */
const rowsApartMax = 100_000

const columns = sql`
  id, at, account_id as "accountId", user_id as "userId", user_name as "userName", ip,
  impersonator_name as "impersonatorName", application_name as "applicationName", action, subject, object_id as "objectId", object_title as "objectTitle",
  changes`
const newestFirst = sql`order by at desc, id desc`

type Row = Omit<Activity, 'at'> & { at: Date }

/**
 * Entries newest first.
 * @param page `before`: id of an entry; returns those that follow it in the list
 */
export async function readActivities(
  db: Executor,
  sight: Sight,
  filter: ActivityFilter,
  page: { offset: number; limit: number; before?: number | undefined },
): Promise<Activity[]> {
  const { accountIds, withSystem } = narrowed(sight, filter)
  const conditions = conditionsOf(filter)
  if (page.before !== undefined)
    conditions.push(sql`(at, id) < (select at, id from activities where id = ${page.before})`)
  const all = sql.join([sql`true`, ...conditions], sql` and `)
  const end = page.offset + page.limit
  const source =
    accountIds === null || accountIds.length * end > rowsApartMax
      ? sql`activities where ${inSight({ accountIds, withSystem })} and ${all}`
      : // By index per account; otherwise a small account in a large log is searched row by row.
        sql`(
          select found.* from unnest(${[...accountIds]}::int[]) as own (id) cross join lateral (
            select * from activities where account_id = own.id and ${all} ${newestFirst} limit ${end}) as found
          ${
            withSystem
              ? sql`union all (select * from activities where account_id is null and ${all} ${newestFirst} limit ${end})`
              : sql``
          }) as found`
  const { rows } = await sql<Row>`
    select ${columns} from ${source} ${newestFirst} offset ${page.offset} limit ${page.limit}`.execute(db)
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** How many entries match, at most `max + 1`. */
export async function countActivities(
  db: Executor,
  sight: Sight,
  filter: ActivityFilter,
  max: number,
): Promise<number> {
  const all = sql.join([sql`true`, ...conditionsOf(filter)], sql` and `)
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from (
      select from activities where ${inSight(narrowed(sight, filter))} and ${all} limit ${max + 1}) as found`.execute(
    db,
  )
  return rows[0]?.total ?? 0
}

/** Names of those of these accounts that still exist. */
export async function readAccountNames(db: Executor, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from accounts where id = any(${[...ids]}::int[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The lowest CSV row limit among the account of a user or key and the accounts above it. */
export async function readCsvLimit(
  db: Executor,
  of: { userId: number | null; accountId: number | undefined },
): Promise<number | null> {
  const { rows } = await sql<{ rowsMax: number | null }>`
    with recursive up as (
      select id, parent_id, csv_export_limit from accounts
      where id = coalesce((select account_id from users where id = ${of.userId}), ${of.accountId ?? null})
      union all
      select a.id, a.parent_id, a.csv_export_limit from accounts a join up on a.id = up.parent_id)
    select min(csv_export_limit) as "rowsMax" from up`.execute(db)
  return rows[0]?.rowsMax ?? null
}

/** Narrows the visible entries to the filter. A filter by accounts excludes entries without an account. */
function narrowed({ accountIds, withSystem }: Sight, filter: ActivityFilter): Sight {
  if (!filter.accountIds) return { accountIds, withSystem }
  const wanted = filter.accountIds
  return {
    accountIds: accountIds === null ? wanted : accountIds.filter((id) => wanted.includes(id)),
    withSystem: false,
  }
}

function inSight({ accountIds, withSystem }: Sight): RawBuilder<unknown> {
  if (accountIds === null) return sql`true`
  const own = sql`account_id = any(${[...accountIds]}::int[])`
  return withSystem ? sql`(${own} or account_id is null)` : own
}

// Must be the expression of the index.
const searched = sql`fold(e'\\n' || object_title || e'\\n' || user_name || e'\\n' || coalesce(impersonator_name, '') || e'\\n')`

function conditionsOf(filter: ActivityFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = []
  const search = parseSearch(filter.search)
  if (search) conditions.push(matches([searched], search))
  if (filter.userIds)
    conditions.push(
      sql`(user_id = any(${filter.userIds}::int[]) or impersonator_id = any(${filter.userIds}::int[]))`,
    )
  if (filter.subject) conditions.push(sql`subject = ${filter.subject}`)
  if (filter.action) conditions.push(sql`action = ${filter.action}`)
  if (filter.objectId) conditions.push(sql`object_id = ${filter.objectId}`)
  if (filter.from) conditions.push(sql`at >= ${new Date(filter.from)}`)
  if (filter.to) conditions.push(sql`at < ${new Date(filter.to)}`)
  return conditions
}

/** Deletes entries of an account older than `before`, at most `limit`. @returns how many */
export async function deleteOldActivities(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from activities where id = any(array(
      select id from activities where account_id = ${accountId} and at < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}

/** Deletes old entries that belong to no account, or to a deleted one, at most `limit`. @returns how many */
export async function deleteOrphanedActivities(tx: Executor, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from activities where id = any(array(
      select id from activities l where at < ${before}
        and (account_id is null or not exists (select from accounts a where a.id = l.account_id))
      limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
