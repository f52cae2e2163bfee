import {
  type Announcement,
  type AnnouncementInput,
  type AnnouncementStatus,
  announcementLimits,
  type OwnAnnouncement,
} from '@leitstand/contract/announcements'
import type { Search } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { accountsBelow, accountsUp } from '../../platform/db/accountTree.ts'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matchesTexts } from '../../platform/db/textFilter.ts'

function select(db: Executor, now: Date) {
  return db
    .selectFrom('announcements as n')
    .innerJoin('accounts as a', 'a.id', 'n.account_id')
    .innerJoin('scopes as s', (join) =>
      join.onRef('s.account_id', '=', 'n.account_id').on('s.twin_id', 'is', null),
    )
    .selectAll('n')
    .select(['a.name as account_name', statusAt(now).as('status')])
    .select(
      sql<number>`(select count(*)::int from announcement_dismissals d where d.announcement_id = n.id)`.as(
        'dismissals',
      ),
    )
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

function statusAt(now: Date): RawBuilder<AnnouncementStatus> {
  return sql<AnnouncementStatus>`case when n.ends_at <= ${now} then 'past' when not n.active then 'off'
    when n.starts_at > ${now} then 'scheduled' else 'shown' end`
}

function linkOf({ link_url: url, link_text: text }: Pick<Row, 'link_url' | 'link_text'>) {
  return url === null || text === null ? null : { url, text }
}

function toAnnouncement(row: Row): Announcement {
  return {
    id: row.id,
    version: row.version,
    accountId: row.account_id,
    accountName: row.account_name,
    type: row.type as Announcement['type'],
    presentationType: row.presentation as Announcement['presentationType'],
    text: row.text,
    link: linkOf(row),
    active: row.active,
    start: row.starts_at?.toISOString() ?? null,
    end: row.ends_at?.toISOString() ?? null,
    includeSubTenants: row.sub_accounts,
    status: row.status,
    dismissals: row.dismissals,
    createdAt: row.created_at.toISOString(),
  }
}

const orders = {
  createdAt: sql`n.created_at, n.id`,
  '-createdAt': sql`n.created_at desc, n.id desc`,
  start: sql`n.starts_at nulls first, n.id`,
  '-start': sql`n.starts_at desc nulls last, n.id desc`,
  end: sql`n.ends_at nulls last, n.id`,
  '-end': sql`n.ends_at desc nulls first, n.id desc`,
} as const

interface Asked {
  accountId: number
  /** of the accounts below as well, as far as the caller sees them */
  below: boolean
  search: Search | null
  status: AnnouncementStatus | undefined
  orderBy: keyof typeof orders
  offset: number
  limit: number
}

/** A page of an account's announcements, in these scopes. */
export async function listAnnouncements(
  db: Executor,
  scopeIds: readonly number[],
  now: Date,
  asked: Asked,
): Promise<{ items: Announcement[]; total: number }> {
  const accounts = asked.below
    ? sql<boolean>`n.account_id in (select id from ${accountsBelow(asked.accountId)} as below)`
    : sql<boolean>`n.account_id = ${asked.accountId}`
  const found = sql<boolean>`${accounts} and s.id = ${anyOf(scopeIds)}
    and ${asked.search ? matchesTexts([sql`n.text`, sql`n.link_text`], asked.search) : sql`true`}
    and ${asked.status === undefined ? sql`true` : sql`${statusAt(now)} = ${asked.status}`}`
  const rows = await select(db, now)
    .where(found)
    .orderBy(orders[asked.orderBy])
    .offset(asked.offset)
    .limit(asked.limit)
    .execute()
  const { total } = await db
    .selectFrom('announcements as n')
    .innerJoin('scopes as s', (join) =>
      join.onRef('s.account_id', '=', 'n.account_id').on('s.twin_id', 'is', null),
    )
    .where(found)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toAnnouncement), total }
}

/** An announcement in these scopes; undefined if there is none. */
export async function findAnnouncement(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
  now: Date,
): Promise<Announcement | undefined> {
  const row = await select(db, now)
    .where('n.id', '=', id)
    .where('s.id', '=', anyOf(scopeIds))
    .executeTakeFirst()
  return row && toAnnouncement(row)
}

/** Locks an account until the end of the transaction, and counts its announcements, without one of them. */
export async function countLocked(
  tx: Executor,
  accountId: number,
  without: number | null,
): Promise<{ active: number; all: number }> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
  const { rows } = await sql<{ active: number; all: number }>`
    select count(*) filter (where active)::int as active, count(*)::int as all from announcements
    where account_id = ${accountId} and id is distinct from ${without}::int`.execute(tx)
  return rows[0] ?? { active: 0, all: 0 }
}

function columnsOf(input: AnnouncementInput, nextAt: Date | null) {
  return {
    type: input.type,
    presentation: input.presentationType,
    text: input.text,
    link_url: input.link?.url ?? null,
    link_text: input.link?.text ?? null,
    sub_accounts: input.includeSubTenants,
    active: input.active,
    starts_at: input.start === null ? null : new Date(input.start),
    ends_at: input.end === null ? null : new Date(input.end),
    next_at: nextAt,
  }
}

/** @param nextAt when it begins or ends next */
export async function insertAnnouncement(
  tx: Executor,
  accountId: number,
  input: AnnouncementInput,
  { nextAt, now }: { nextAt: Date | null; now: Date },
): Promise<number> {
  const { id } = await tx
    .insertInto('announcements')
    .values({ account_id: accountId, created_at: now, ...columnsOf(input, nextAt) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @returns false if somebody else has changed it since that version */
export async function updateAnnouncement(
  tx: Executor,
  { id, version }: { id: number; version: number },
  input: AnnouncementInput,
  nextAt: Date | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('announcements')
    .set({ ...columnsOf(input, nextAt), version: sql`version + 1` })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteAnnouncement(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('announcements').where('id', '=', id).execute()
}

/** Active users of an account, with those of the accounts below it, and the number of these accounts. */
export async function countReach(
  db: Executor,
  accountId: number,
  withBelow: boolean,
): Promise<{ users: number; accounts: number }> {
  const accounts = withBelow
    ? sql`(select id from ${accountsBelow(accountId)} as below)`
    : sql`(select ${accountId}::int as id)`
  const { rows } = await sql<{ users: number; accounts: number }>`
    select count(u.id)::int as users, count(distinct reached.id)::int as accounts
    from ${accounts} as reached left join users u on u.account_id = reached.id and u.active`.execute(db)
  return rows[0] ?? { users: 0, accounts: 0 }
}

/** These accounts and all below them. */
export async function readAccountsBelow(db: Executor, accountIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct below.id from unnest(${[...accountIds]}::int[]) as t (top), lateral ${accountsBelow(sql`t.top`)} as below`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** That an announcement is for the users of an account: its own, or with those of the accounts below. */
function isFor(accountId: number): RawBuilder<boolean> {
  return sql<boolean>`exists (select from ${accountsUp(accountId)} as up
    where up.id = n.account_id and (up.distance = 0 or n.sub_accounts))`
}

/** What a user of an account is to see now and has not closed, most urgent first. */
export async function readOwn(
  db: Executor,
  { userId, accountId }: { userId: number; accountId: number },
  now: Date,
): Promise<OwnAnnouncement[]> {
  const rows = await db
    .selectFrom('announcements as n')
    .select(['n.id', 'n.type', 'n.presentation', 'n.text', 'n.link_url', 'n.link_text', 'n.ends_at'])
    .where(isFor(accountId))
    .where(sql<boolean>`${statusAt(now)} = 'shown'`)
    .where(
      sql<boolean>`not exists (select from announcement_dismissals d where d.announcement_id = n.id and d.user_id = ${userId})`,
    )
    .orderBy(sql`array_position(array['error', 'warning', 'success', 'info'], n.type), n.id desc`)
    .limit(announcementLimits.shownMax)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    type: row.type as OwnAnnouncement['type'],
    presentationType: row.presentation as OwnAnnouncement['presentationType'],
    text: row.text,
    link: linkOf(row),
    end: row.ends_at?.toISOString() ?? null,
  }))
}

/**
 * Closes an announcement for a user for good; again does nothing.
 * @returns false if it is not for the users of this account
 */
export async function dismiss(
  db: Executor,
  { userId, accountId }: { userId: number; accountId: number },
  id: number,
): Promise<boolean> {
  const { rows } = await sql`
    with found as (select n.id from announcements n where n.id = ${id} and ${isFor(accountId)}), closed as (
      insert into announcement_dismissals (announcement_id, user_id) select id, ${userId} from found
      on conflict do nothing)
    select from found`.execute(db)
  return rows.length > 0
}

/** An announcement that has begun, or ended and was deactivated. */
export interface Due {
  id: number
  accountId: number
  text: string
  hasEnded: boolean
}

/** Takes those that begin or end by now: ended ones become inactive, the others wait for their end. */
export async function takeDue(tx: Executor, now: Date, max: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    update announcements n set next_at = case when n.ends_at > ${now} then n.ends_at end,
      active = n.ends_at is null or n.ends_at > ${now},
      version = n.version + (n.ends_at <= ${now} and n.ends_at is not null)::int
    where n.id in (select id from announcements where next_at <= ${now} order by next_at limit ${max} for update skip locked)
    returning n.id, n.account_id as "accountId", n.text, not n.active as "hasEnded"`.execute(tx)
  return rows
}

/** When the next one begins or ends; null: none does. */
export async function nextDueAt(db: Executor): Promise<Date | null> {
  const { next } = await db
    .selectFrom('announcements')
    .select(({ fn }) => fn.min('next_at').as('next'))
    .executeTakeFirstOrThrow()
  return next
}
