import {
  type ExportFrequency,
  type ExportRunReason,
  type ExportRunState,
  ExportTarget,
  ScheduledContent,
  type ScheduledRange,
} from '@leitstand/contract/exportSchedules'
import type { Search } from '@leitstand/contract/search'
import { sql } from 'kysely'
import * as z from 'zod'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import { Owner } from '../people/index.ts'
import type { Timing } from './times.ts'

const [Mail, Connector, File] = ExportTarget.options

/** A target as stored, with its secret sealed. */
export const StoredTarget = z.discriminatedUnion('kind', [
  Mail,
  Connector.omit({ connectorName: true }),
  File.omit({ hasSecret: true }).extend({ secret: z.string().nullable() }),
])
export type StoredTarget = z.infer<typeof StoredTarget>

/** A schedule as stored. */
export interface ScheduleRow extends Timing {
  id: number
  version: number
  accountId: number
  accountName: string
  scopeId: number
  title: string
  content: ScheduledContent
  range: ScheduledRange
  targets: StoredTarget[]
  active: boolean
  nextAt: Date | null
  failing: boolean
  owner: Owner
  ownerName: string
  createdBy: number | null
  createdAt: Date
  last: { dueAt: string; state: ExportRunState; reason: ExportRunReason | null } | null
}

const columns = sql`s.id, s.version, s.account_id as "accountId", a.name as "accountName", s.scope_id as "scopeId", s.title,
  s.content, s.range, s.frequency, s.time_zone as "timeZone", s.targets, s.active, s.next_at as "nextAt", s.failing, s.owner,
  s.owner_name as "ownerName", s.created_by as "createdBy", s.created_at as "createdAt",
  (select json_build_object('dueAt', r.due_at, 'state', r.state, 'reason', r.reason) from export_schedule_runs r
    where r.schedule_id = s.id order by r.due_at desc, r.id desc limit 1) as last`

/** What is stored as JSON is parsed with the current schemas. */
const toRow = (row: ScheduleRow): ScheduleRow => ({
  ...row,
  content: ScheduledContent.parse(row.content),
  targets: z.array(StoredTarget).parse(row.targets),
  owner: Owner.parse(row.owner),
})

const orders = {
  title: sql`s.title collate natural_order, s.id`,
  '-title': sql`s.title collate natural_order desc, s.id desc`,
  nextAt: sql`s.next_at nulls last, s.id`,
  '-nextAt': sql`s.next_at desc nulls last, s.id desc`,
} as const

/** A page of the schedules in these scopes. */
export async function listSchedules(
  db: Executor,
  scopeIds: readonly number[],
  asked: { search: Search | null; orderBy: keyof typeof orders; offset: number; limit: number },
): Promise<{ items: ScheduleRow[]; total: number }> {
  const where = sql`s.scope_id = ${anyOf(scopeIds)} and ${
    asked.search ? matches([sql`s.search`], asked.search) : sql<boolean>`true`
  }`
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from export_schedules s where ${where}`.execute(db)
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from export_schedules s join accounts a on a.id = s.account_id where ${where}
    order by ${orders[asked.orderBy]} limit ${asked.limit} offset ${asked.offset}`.execute(db)
  return { items: rows.map(toRow), total: counted.rows[0]?.total ?? 0 }
}

/** One schedule; undefined if there is none. @param scopeIds where it may be; null: everywhere */
export async function findSchedule(
  db: Executor,
  scopeIds: readonly number[] | null,
  id: number,
): Promise<ScheduleRow | undefined> {
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from export_schedules s join accounts a on a.id = s.account_id
    where s.id = ${id} ${scopeIds === null ? sql`` : sql`and s.scope_id = ${anyOf(scopeIds)}`}`.execute(db)
  return rows.map(toRow)[0]
}

/** Locks a schedule until the end of the transaction, before anything of it. @returns whether there is one */
export async function lockSchedule(tx: Executor, id: number): Promise<boolean> {
  const { rows } = await sql`select from export_schedules where id = ${id} for update`.execute(tx)
  return rows.length > 0
}

/** Counts the schedules of an account and locks it against new ones until the end of the transaction. */
export async function countSchedules(tx: Executor, accountId: number): Promise<number> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from export_schedules where account_id = ${accountId}`.execute(tx)
  return rows[0]?.count ?? 0
}

export type NewSchedule = Pick<
  ScheduleRow,
  | 'accountId'
  | 'scopeId'
  | 'title'
  | 'content'
  | 'range'
  | 'frequency'
  | 'timeZone'
  | 'active'
  | 'nextAt'
  | 'owner'
  | 'ownerName'
  | 'createdBy'
  | 'createdAt'
>

/** Stores a schedule without its targets, see `setTargets`. @returns its id */
export async function insertSchedule(tx: Executor, made: NewSchedule): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into export_schedules (account_id, scope_id, title, content, range, frequency, time_zone, targets, active, next_at,
      owner, owner_name, created_by, created_at, updated_at)
    values (${made.accountId}, ${made.scopeId}, ${made.title}, ${jsonb(made.content)}, ${jsonb(made.range)},
      ${jsonb(made.frequency)}, ${made.timeZone}, '[]', ${made.active}, ${made.nextAt}, ${jsonb(made.owner)},
      ${made.ownerName}, ${made.createdBy}, ${made.createdAt}, ${made.createdAt})
    returning id`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('an export schedule was not stored')
  return row.id
}

export async function setTargets(tx: Executor, id: number, targets: readonly StoredTarget[]): Promise<void> {
  const connectorIds = targets.flatMap((target) => (target.kind === 'connector' ? [target.connectorId] : []))
  await sql`
    update export_schedules set targets = ${jsonb(targets)}, connector_ids = ${[...new Set(connectorIds)]}::int[]
    where id = ${id}`.execute(tx)
}

/** @returns false when another change came first */
export async function updateSchedule(
  tx: Executor,
  id: number,
  to: { version: number; title: string; active: boolean; nextAt: Date | null; at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update export_schedules set title = ${to.title}, active = ${to.active}, next_at = ${to.nextAt}, updated_at = ${to.at},
      version = version + 1
    where id = ${id} and version = ${to.version}`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/** Switches a schedule off. */
export async function stopSchedule(tx: Executor, id: number, at: Date): Promise<void> {
  await sql`
    update export_schedules set active = false, next_at = null, updated_at = ${at}, version = version + 1
    where id = ${id} and active`.execute(tx)
}

/** @returns whether that is new */
export async function setFailing(tx: Executor, id: number, failing: boolean): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update export_schedules set failing = ${failing} where id = ${id} and failing <> ${failing}`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

export async function deleteSchedule(tx: Executor, id: number): Promise<void> {
  await sql`delete from export_schedules where id = ${id}`.execute(tx)
}

/** Deletes the schedules of an account that is deleted. */
export async function deleteSchedulesOf(tx: Executor, accountId: number): Promise<void> {
  await sql`delete from export_schedules where account_id = ${accountId}`.execute(tx)
}

/** A schedule whose time has come. */
export interface DueSchedule {
  id: number
  timing: Timing
  nextAt: Date
}

/** Takes schedules that are due, locked; others may take the rest at the same time. */
export async function takeDue(tx: Executor, now: Date, limit: number): Promise<DueSchedule[]> {
  const { rows } = await sql<{ id: number; frequency: ExportFrequency; timeZone: string; nextAt: Date }>`
    select id, frequency, time_zone as "timeZone", next_at as "nextAt" from export_schedules
    where next_at <= ${now} order by next_at, id limit ${limit} for update skip locked`.execute(tx)
  return rows.map(({ id, frequency, timeZone, nextAt }) => ({ id, nextAt, timing: { frequency, timeZone } }))
}
