import type { Search } from '@leitstand/contract/search'
import {
  type Ticket,
  type TicketPriority,
  type TicketState,
  type TicketType,
  ticketPriorities,
} from '@leitstand/contract/tickets'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import { isVisible, namedScopes, type TicketSight } from './policy.ts'

/** Which tickets are listed, among those that are visible. */
export interface TicketFilter {
  search?: Search | null | undefined
  accountIds?: readonly number[] | undefined
  states?: readonly number[] | undefined
  types?: readonly string[] | undefined
  priorities?: readonly TicketPriority[] | undefined
  /** whose task it is: this user's, somebody's or nobody's */
  assigned?: { to: number | null } | 'anyone' | 'nobody' | undefined
  /** not done, and due before this day (`2026-11-20`), or the contrary */
  overdue?: { is: boolean; today: string } | undefined
  inTwinId?: number | undefined
  reportedBy?: number | undefined
  /** only favourites of this user */
  favoritesOf?: number | null | undefined
}

export type TicketOrder =
  | 'createdAt'
  | '-createdAt'
  | 'changedAt'
  | '-changedAt'
  | 'priority'
  | '-priority'
  | 'dueAt'
  | '-dueAt'
  | 'number'
  | '-number'
  | 'state'
  | '-state'

const orders: Readonly<Record<TicketOrder, string>> = {
  createdAt: 't.id',
  '-createdAt': 't.id desc',
  changedAt: 't.changed_at, t.id',
  '-changedAt': 't.changed_at desc, t.id desc',
  priority: 't.priority, t.id desc',
  '-priority': 't.priority desc, t.id desc',
  dueAt: 't.due_at nulls last, t.id',
  '-dueAt': 't.due_at desc nulls last, t.id desc',
  number: 't.number, t.id',
  '-number': 't.number desc, t.id desc',
  state: 't.state, t.id desc',
  '-state': 't.state desc, t.id desc',
}

/** Display name of a user; after their deletion the one they had. */
const nameOr = (name: RawBuilder<unknown>) =>
  sql`coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username, ${name})`

/** Tickets `t` with their twin `w`, visible to the caller and matching a filter. */
function found(sight: TicketSight, filter: TicketFilter): RawBuilder<unknown> {
  const conditions = [isVisible(sight)]
  const { search, accountIds, states, types, priorities, assigned, overdue, inTwinId } = filter
  const { reportedBy, favoritesOf } = filter
  if (search) conditions.push(matches([sql`t.search`, sql`w.search`], search))
  if (accountIds) conditions.push(sql`t.account_id = ${anyOf([...accountIds])}`)
  if (states) conditions.push(sql`t.state = any(${[...states]}::smallint[])`)
  if (types) conditions.push(sql`t.type = any(${[...types]}::text[])`)
  if (priorities) conditions.push(sql`t.priority = any(${priorities.map(rankOf)}::smallint[])`)
  if (assigned === 'anyone') conditions.push(sql`t.assigned_name is not null`)
  else if (assigned === 'nobody') conditions.push(sql`t.assigned_name is null`)
  else if (assigned) conditions.push(sql`t.assigned_to = ${assigned.to}`)
  if (overdue)
    conditions.push(sql`coalesce(t.state < 2 and t.due_at < ${overdue.today}::date, false) = ${overdue.is}`)
  if (inTwinId) conditions.push(isIn(inTwinId, sight))
  if (reportedBy) conditions.push(sql`t.reported_by = ${reportedBy}`)
  if (favoritesOf !== undefined)
    conditions.push(
      sql`t.id in (select object_id from favorites where user_id = ${favoritesOf} and type = 'ticket')`,
    )
  return sql`tickets t join twins w on w.id = t.twin_id where ${sql.join(conditions, sql` and `)}`
}

/** Whether the ticket's twin is this one or below it. A twin the caller may not see matches nothing. */
function isIn(twinId: number, sight: TicketSight): RawBuilder<boolean> {
  return sql<boolean>`t.twin_id in (
    with recursive below as (
      select id from twins where id = ${twinId} and scope_id = ${anyOf(namedScopes(sight))}
      union all
      select child.id from below join twins child on child.parent_id = below.id)
    select id from below)`
}

const rankOf = (priority: TicketPriority): number => ticketPriorities.indexOf(priority)

interface TicketRow {
  id: number
  version: number
  number: number
  account_id: number
  account_name: string
  twin_id: number
  twin_title: string
  scope_id: number
  type: TicketType
  subject: string
  comment: string
  state: TicketState
  priority: number
  due_at: string | null
  source: Ticket['source']
  alarm_id: number | null
  rule_id: number | null
  reported_by: number | null
  reporter: string
  assigned_to: number | null
  assigned_name: string | null
  created_at: Date
  changed_at: Date
  closed_at: Date | null
  picture_id: number | null
  comments: number
  duplicate_of: number | null
  duplicate_number: number | null
  duplicates: number
}

/** One page of the visible tickets. */
export async function listTickets(
  db: Executor,
  sight: TicketSight,
  filter: TicketFilter,
  page: { orderBy: TicketOrder; offset: number; limit: number },
): Promise<Ticket[]> {
  const { rows } = await sql<TicketRow>`
    with page as (
      select t.*, w.title as twin_title, w.scope_id, row_number() over (order by ${sql.raw(orders[page.orderBy])}) as at
      from ${found(sight, filter)}
      order by ${sql.raw(orders[page.orderBy])} offset ${page.offset} limit ${page.limit})
    select page.*, a.name as account_name, ${nameOr(sql`page.reporter_name`)} as reporter,
      (select f.id from files f where f.ticket_id = page.id and f.role = 'picture') as picture_id,
      (select count(*)::int from ticket_entries e where e.ticket_id = page.id and e.kind = 'comment') as comments,
      (select o.number from tickets o where o.id = page.duplicate_of) as duplicate_number,
      (select count(*)::int from tickets o where o.duplicate_of = page.id) as duplicates
    from page join accounts a on a.id = page.account_id left join users u on u.id = page.reported_by
    order by page.at`.execute(db)
  const above = await titlesAbove(db, sight, [...new Set(rows.map((row) => row.twin_id))])
  return rows.map((row) => toTicket(row, sight, above.get(row.twin_id) ?? []))
}

export async function countTickets(db: Executor, sight: TicketSight, filter: TicketFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${found(sight, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** A ticket the caller may see. */
export async function findTicket(db: Executor, sight: TicketSight, id: number): Promise<Ticket | undefined> {
  const { rows } = await sql<TicketRow>`
    select t.*, w.title as twin_title, w.scope_id, a.name as account_name, ${nameOr(sql`t.reporter_name`)} as reporter,
      (select f.id from files f where f.ticket_id = t.id and f.role = 'picture') as picture_id,
      (select count(*)::int from ticket_entries e where e.ticket_id = t.id and e.kind = 'comment') as comments,
      (select o.number from tickets o where o.id = t.duplicate_of) as duplicate_number,
      (select count(*)::int from tickets o where o.duplicate_of = t.id) as duplicates
    from tickets t join twins w on w.id = t.twin_id join accounts a on a.id = t.account_id
      left join users u on u.id = t.reported_by
    where t.id = ${id} and ${isVisible(sight)}`.execute(db)
  const row = rows[0]
  if (row === undefined) return undefined
  const above = await titlesAbove(db, sight, [row.twin_id])
  return toTicket(row, sight, above.get(row.twin_id) ?? [])
}

function toTicket(row: TicketRow, sight: TicketSight, above: string[]): Ticket {
  const editable = sight.manage.includes(row.scope_id)
  const seesUsers = sight.users.includes(row.scope_id)
  const isOwn = row.reported_by !== null && row.reported_by === sight.userId
  return {
    id: row.id,
    version: row.version,
    number: row.number,
    accountId: row.account_id,
    accountName: row.account_name,
    twin: { id: row.twin_id, title: row.twin_title, above },
    type: row.type,
    subject: row.subject,
    comment: row.comment,
    state: row.state,
    priority: ticketPriorities[row.priority] as TicketPriority,
    dueAt: row.due_at,
    source: row.source,
    alarmId: row.alarm_id,
    ruleId: row.rule_id,
    createdAt: row.created_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
    closedAt: row.closed_at?.toISOString() ?? null,
    reporter: {
      userId: row.reported_by,
      name: seesUsers || isOwn || row.source === 'rule' ? row.reporter : null,
    },
    // Who can give tickets to people sees whose they are.
    assignee:
      row.assigned_name === null
        ? null
        : {
            userId: row.assigned_to,
            name: seesUsers || editable || row.assigned_to === sight.userId ? row.assigned_name : null,
          },
    pictureId: row.picture_id,
    comments: row.comments,
    duplicateOf:
      row.duplicate_of === null || row.duplicate_number === null
        ? null
        : { id: row.duplicate_of, number: row.duplicate_number },
    duplicates: row.duplicates,
    editable,
  }
}

/** The most twins on a way up; a tree of twins is not deeper in practice. */
const levelsMax = 12

/** Titles of what is above some twins, the topmost first, as far as the caller may see it. */
export async function titlesAbove(
  db: Executor,
  sight: TicketSight,
  twinIds: readonly number[],
): Promise<Map<number, string[]>> {
  if (twinIds.length === 0) return new Map()
  const { rows } = await sql<{ id: number; titles: string[] }>`
    with recursive up (id, parent_id, level) as (
      select id, parent_id, 0 from twins where id = ${anyOf([...twinIds])}
      union all
      select up.id, p.parent_id, up.level + 1 from up join twins p on p.id = up.parent_id
      where up.level < ${levelsMax})
    select up.id, array_agg(p.title order by up.level desc) as titles
    from up join twins p on p.id = up.parent_id
    where p.scope_id = ${anyOf(namedScopes(sight))} and p.category = 'digitalTwin'
    group by up.id`.execute(db)
  return new Map(rows.map(({ id, titles }) => [id, titles]))
}

/** A ticket as a change finds it. */
export interface LockedTicket {
  id: number
  version: number
  number: number
  accountId: number
  scopeId: number
  twinId: number
  twinTitle: string
  type: TicketType
  subject: string
  state: TicketState
  priority: TicketPriority
  dueAt: string | null
  assignedTo: number | null
  assignedName: string | null
  reportedBy: number | null
  duplicateOf: number | null
}

interface RawLocked extends Omit<LockedTicket, 'priority'> {
  priority: number
}

/** Locks a ticket the caller may see. @param by id, or number in an account */
export const lockTicket = (
  tx: Executor,
  sight: TicketSight,
  by: { id: number } | { accountId: number; number: number },
): Promise<LockedTicket | undefined> => readTicket(tx, sight, by, sql`for update of t`)

/** What decides who may do what with a ticket. */
export async function readTicket(
  tx: Executor,
  sight: TicketSight,
  by: { id: number } | { accountId: number; number: number },
  lock: RawBuilder<unknown> = sql``,
): Promise<LockedTicket | undefined> {
  const isIt =
    'id' in by ? sql`t.id = ${by.id}` : sql`t.account_id = ${by.accountId} and t.number = ${by.number}`
  const { rows } = await sql<RawLocked>`
    select t.id, t.version, t.number, t.account_id as "accountId", w.scope_id as "scopeId", t.twin_id as "twinId",
      w.title as "twinTitle", t.type, t.subject, t.state, t.priority, t.due_at as "dueAt",
      t.assigned_to as "assignedTo", t.assigned_name as "assignedName", t.reported_by as "reportedBy",
      t.duplicate_of as "duplicateOf"
    from tickets t join twins w on w.id = t.twin_id
    where ${isIt} and ${isVisible(sight)} ${lock}`.execute(tx)
  const row = rows[0]
  return row && { ...row, priority: ticketPriorities[row.priority] as TicketPriority }
}

export interface NewTicket {
  accountId: number
  twinId: number
  type: TicketType
  subject: string
  comment: string
  priority: TicketPriority
  source: Ticket['source']
  alarmId: number | null
  ruleId: number | null
  reporter: { userId: number | null; name: string }
  key: string | null
  at: Date
}

/** Lets all who make tickets of an account wait for each other, so that its limits hold and reports sent twice meet here. */
export async function lockNumbers(tx: Executor, accountId: number): Promise<void> {
  await sql`
    insert into ticket_numbers (account_id, last) values (${accountId}, 0)
    on conflict (account_id) do update set last = ticket_numbers.last`.execute(tx)
}

/** The next number of an account. */
export async function takeNumber(tx: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    insert into ticket_numbers (account_id, last) values (${accountId}, 1)
    on conflict (account_id) do update set last = ticket_numbers.last + 1 returning last`.execute(tx)
  return rows[0]?.last as number
}

export async function insertTicket(tx: Executor, number: number, ticket: NewTicket): Promise<number> {
  const { id } = await tx
    .insertInto('tickets')
    .values({
      account_id: ticket.accountId,
      number,
      twin_id: ticket.twinId,
      type: ticket.type,
      subject: ticket.subject,
      comment: ticket.comment,
      priority: rankOf(ticket.priority),
      source: ticket.source,
      alarm_id: ticket.alarmId,
      rule_id: ticket.ruleId,
      reported_by: ticket.reporter.userId,
      reporter_name: ticket.reporter.name,
      report_key: ticket.key,
      created_at: ticket.at,
      changed_at: ticket.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The ticket a report with this key has become. */
export async function findReport(
  db: Executor,
  { accountId, userId, key }: { accountId: number; userId: number | null; key: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from tickets where account_id = ${accountId} and reported_by is not distinct from ${userId}::int
      and report_key = ${key}::uuid`.execute(db)
  return rows[0]?.id
}

/** An open ticket of a twin with this type and subject, however it is written. */
export async function findSame(
  db: Executor,
  { twinId, type, subject }: { twinId: number; type: TicketType; subject: string },
): Promise<{ id: number; number: number } | undefined> {
  const { rows } = await sql<{ id: number; number: number }>`
    select id, number from tickets
    where twin_id = ${twinId} and state < 2 and type = ${type} and fold(subject) = fold(${subject})
    order by id limit 1`.execute(db)
  return rows[0]
}

/** The number of the ticket of a rule that is not done at a twin. */
export async function findOfRule(db: Executor, ruleId: number, twinId: number): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    select number from tickets
    where rule_id = ${ruleId} and twin_id = ${twinId} and state < 2
    order by id desc limit 1`.execute(db)
  return rows[0]?.number
}

/** How many tickets of an account are not done, and how many of these a user has reported. */
export async function countOpen(
  db: Executor,
  accountId: number,
  userId: number | null,
): Promise<{ all: number; own: number }> {
  const { rows } = await sql<{ all: number; own: number }>`
    select count(*)::int as all, count(*) filter (where reported_by = ${userId}::int)::int as own
    from tickets where account_id = ${accountId} and state < 2`.execute(db)
  return rows[0] ?? { all: 0, own: 0 }
}

export interface TicketValues {
  twinId: number
  type: TicketType
  subject: string
  state: TicketState
  priority: TicketPriority
  dueAt: string | null
  assignee: { id: number; name: string } | null
  duplicateOf?: number | null
}

/** Writes what is to be; a ticket that becomes done gets the time, one that is opened again loses it. */
export async function writeTicket(tx: Executor, id: number, values: TicketValues, at: Date): Promise<void> {
  await tx
    .updateTable('tickets')
    .set({
      twin_id: values.twinId,
      type: values.type,
      subject: values.subject,
      state: values.state,
      closed_at: values.state === 2 ? sql`coalesce(closed_at, ${at})` : null,
      priority: rankOf(values.priority),
      due_at: values.dueAt,
      assigned_to: values.assignee?.id ?? null,
      assigned_name: values.assignee?.name ?? null,
      ...(values.duplicateOf === undefined ? {} : { duplicate_of: values.duplicateOf }),
      changed_at: at,
      version: sql`version + 1`,
    })
    .where('id', '=', id)
    .execute()
}

/** What was joined with a ticket is joined with another one. */
export async function passDuplicates(tx: Executor, from: number, to: number): Promise<void> {
  await tx.updateTable('tickets').set({ duplicate_of: to }).where('duplicate_of', '=', from).execute()
}

export async function touchTicket(tx: Executor, id: number, at: Date): Promise<void> {
  await tx.updateTable('tickets').set({ changed_at: at }).where('id', '=', id).execute()
}

export async function deleteTicket(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('tickets').where('id', '=', id).execute()
}

/** Done tickets of an account, older than a time. @returns how many were deleted */
export async function deleteOldTickets(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from tickets where id = any(array(
      select id from tickets where account_id = ${accountId} and closed_at < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
