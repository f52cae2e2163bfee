import type { JsonValue } from '@leitstand/contract/common'
import { type Activation, type ActivationResult, keyLimits, LockWay } from '@leitstand/contract/keys'
import type { Search } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matchesTexts } from '../../platform/db/textFilter.ts'
import type { KeySight } from './policy.ts'

const dayMs = 86_400_000

/** Which activations are listed, among those that are visible. */
export interface LogFilter {
  search?: Search | null | undefined
  accountIds?: readonly number[] | undefined
  results?: readonly string[] | undefined
  twinId?: number | undefined
  /** one of a group the caller manages; others match nothing */
  groupId?: number | undefined
  userId?: number | undefined
  from?: Date | undefined
  until?: Date | undefined
  id?: number
}

/** Activations `v`: of doors in the scopes in which the caller manages keys, and the caller's own. */
function found(sight: KeySight, filter: LogFilter): RawBuilder<unknown> {
  const { search, accountIds, results, twinId, groupId, userId, from, until, id } = filter
  const conditions = [
    sql<boolean>`(coalesce(w.scope_id, v.scope_id) = ${anyOf([...sight.manage])} or v.user_id = ${sight.userId})`,
  ]
  if (search) conditions.push(matchesTexts([sql`v.lock_title`, sql`v.user_name`], search))
  if (accountIds) conditions.push(sql`v.account_id = ${anyOf([...accountIds])}`)
  if (results) conditions.push(sql`coalesce(v.result, 'requested') = any(${[...results]}::text[])`)
  if (twinId) conditions.push(sql`v.twin_id = ${twinId}`)
  if (groupId)
    conditions.push(sql`v.lock_id in (
      select m.lock_id from lock_group_members m join lock_groups g on g.id = m.group_id
        join scopes s on s.account_id = g.account_id and s.twin_id is null
      where g.id = ${groupId} and s.id = ${anyOf([...sight.manage])})`)
  if (userId) conditions.push(sql`v.user_id = ${userId}`)
  if (from) conditions.push(sql`v.requested_at >= ${from}`)
  if (until) conditions.push(sql`v.requested_at < ${until}`)
  if (id) conditions.push(sql`v.id = ${id}`)
  return sql`lock_activations v left join twins w on w.id = v.twin_id where ${sql.join(conditions, sql` and `)}`
}

interface LogRow {
  id: number
  result: ActivationResult | null
  reason: string
  detail: string
  requested_at: Date
  deadline: Date
  ended_at: Date | null
  lock_id: number
  lock_there: boolean
  twin_id: number
  twin_there: boolean
  lock_title: string
  key_id: number
  user_id: number
  user_there: boolean
  user_name: string
  account_id: number
  account_name: string | null
  metres: number | null
}

const columns = sql`v.id, v.result, v.reason, v.detail, v.requested_at, v.deadline, v.ended_at, v.lock_id,
  v.twin_id, v.lock_title, v.key_id, v.user_id, v.user_name, v.account_id, v.metres, a.name as account_name,
  exists (select from locks l where l.id = v.lock_id) as lock_there,
  exists (select from twins t where t.id = v.twin_id) as twin_there,
  exists (select from users u where u.id = v.user_id) as user_there`

/** One page of the log, newest first. */
export async function listLog(
  db: Executor,
  sight: KeySight,
  filter: LogFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<Activation[]> {
  const { rows } = await sql<LogRow>`
    select ${columns} from (select v.* from ${found(sight, filter)} order by v.id desc offset ${offset} limit ${limit}) v
      left join accounts a on a.id = v.account_id
    order by v.id desc`.execute(db)
  return rows.map(toActivation)
}

export async function countLog(db: Executor, sight: KeySight, filter: LogFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${found(sight, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** The last activations of locks by one person, refused ones left out, by lock. */
export async function lastOf(
  db: Executor,
  userId: number,
  lockIds: readonly number[],
): Promise<Map<number, Activation>> {
  const { rows } = await sql<LogRow>`
    select ${columns} from unnest(${[...lockIds]}::int[]) asked (id)
      join lateral (select * from lock_activations o
        where o.user_id = ${userId} and o.lock_id = asked.id and o.request_id is not null
        order by o.id desc limit 1) v on true
      left join accounts a on a.id = v.account_id`.execute(db)
  return new Map(rows.map((row) => [row.lock_id, toActivation(row)]))
}

function toActivation(row: LogRow): Activation {
  return {
    id: row.id,
    result: row.result,
    reason: row.reason,
    detail: row.detail,
    requestedAt: row.requested_at.toISOString(),
    deadline: row.deadline.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    lock: {
      id: row.lock_there ? row.lock_id : null,
      twinId: row.twin_there ? row.twin_id : null,
      title: row.lock_title,
    },
    keyId: row.key_id,
    user: { id: row.user_there ? row.user_id : null, name: row.user_name },
    accountId: row.account_id,
    accountName: row.account_name ?? '',
    metres: row.metres,
  }
}

/** What was sent with an id of a person; undefined: nothing yet. */
export async function findRequest(
  db: Executor,
  userId: number,
  requestId: string,
): Promise<{ id: number; lockId: number } | undefined> {
  const { rows } = await sql<{ id: number; lockId: number }>`
    select id, lock_id as "lockId" from lock_activations
    where user_id = ${userId} and request_id = ${requestId}`.execute(db)
  return rows[0]
}

export interface NewActivation {
  accountId: number
  scopeId: number
  twinId: number
  lockId: number
  lockTitle: string
  keyId: number
  userId: number
  userName: string
  requestId: string
  at: Date
  waitSeconds: number
  metres: number | null
  way: LockWay
  report: { stateId: number; value: JsonValue } | null
}

const columnsOf = (row: NewActivation) => ({
  account_id: row.accountId,
  scope_id: row.scopeId,
  twin_id: row.twinId,
  lock_id: row.lockId,
  lock_title: row.lockTitle,
  key_id: row.keyId,
  user_id: row.userId,
  user_name: row.userName,
  requested_at: row.at,
  deadline: new Date(row.at.getTime() + row.waitSeconds * 1000),
  metres: row.metres,
  way: jsonb(row.way),
  report_state_id: row.report?.stateId ?? null,
  report_value: row.report === null ? null : jsonb(row.report.value),
})

export async function insertActivation(tx: Executor, row: NewActivation): Promise<number> {
  const { id } = await tx
    .insertInto('lock_activations')
    .values({ ...columnsOf(row), request_id: row.requestId })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Keeps a refused attempt, unless the person had too many of them within a day. @returns whether it is kept */
export async function insertRefused(tx: Executor, row: NewActivation, reason: string): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from lock_activations
    where user_id = ${row.userId} and result = 'refused' and requested_at > ${new Date(row.at.getTime() - dayMs)}`.execute(
    tx,
  )
  if ((rows[0]?.count ?? 0) >= keyLimits.refusedOfDayMax) return false
  await tx
    .insertInto('lock_activations')
    .values({ ...columnsOf(row), deadline: row.at, result: 'refused', reason, ended_at: row.at })
    .execute()
  return true
}

/** An activation that is under way. */
export interface Pending {
  id: number
  accountId: number
  scopeId: number
  lockTitle: string
  twinId: number
  userName: string
  requestId: string
  requestedAt: Date
  deadline: Date
  way: LockWay
  report: { stateId: number; value: JsonValue } | null
  takenAt: Date | null
  downlinkId: number | null
}

interface PendingRow {
  id: number
  account_id: number
  scope_id: number
  lock_title: string
  twin_id: number
  user_name: string
  request_id: string
  requested_at: Date
  deadline: Date
  way: unknown
  report_state_id: number | null
  report_value: JsonValue
  taken_at: Date | null
  downlink_id: number | null
}

const toPending = (row: PendingRow): Pending => ({
  id: row.id,
  accountId: row.account_id,
  scopeId: row.scope_id,
  lockTitle: row.lock_title,
  twinId: row.twin_id,
  userName: row.user_name,
  requestId: row.request_id,
  requestedAt: row.requested_at,
  deadline: row.deadline,
  way: LockWay.parse(row.way),
  report: row.report_state_id === null ? null : { stateId: row.report_state_id, value: row.report_value },
  takenAt: row.taken_at,
  downlinkId: row.downlink_id,
})

/** Takes what is still to be sent, so that nothing sends it again. */
export async function claimUnsent(tx: Executor, now: Date, limit: number): Promise<Pending[]> {
  const { rows } = await sql<PendingRow>`
    update lock_activations v set sent_at = ${now} where v.id = any(array(
      select id from lock_activations where result is null and sent_at is null order by id limit ${limit}
      for update skip locked))
    returning v.*`.execute(tx)
  return rows.map(toPending).sort((one, other) => one.id - other.id)
}

/** What was sent and has no result, oldest first. */
export async function listSent(db: Executor, limit: number): Promise<Pending[]> {
  const { rows } = await sql<PendingRow>`
    select * from lock_activations where result is null and sent_at is not null order by id limit ${limit}`.execute(
    db,
  )
  return rows.map(toPending)
}

export async function writeDownlink(tx: Executor, id: number, downlinkId: number): Promise<void> {
  await tx.updateTable('lock_activations').set({ downlink_id: downlinkId }).where('id', '=', id).execute()
}

export async function writeTaken(db: Executor, id: number, at: Date): Promise<void> {
  await db
    .updateTable('lock_activations')
    .set({ taken_at: at })
    .where('id', '=', id)
    .where('result', 'is', null)
    .execute()
}

/** @returns false when it has a result already */
export async function writeResult(
  db: Executor,
  id: number,
  {
    result,
    reason = '',
    detail = '',
    at,
  }: { result: ActivationResult; reason?: string; detail?: string; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('lock_activations')
    .set({ result, reason, detail: detail.slice(0, 500), ended_at: at })
    .where('id', '=', id)
    .where('result', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes what is older than its account keeps it; of deleted accounts, than is usual. @returns how many of which account */
export async function deleteOldLog(
  tx: Executor,
  { now, months, limit }: { now: Date; months: number; limit: number },
): Promise<Map<number, number>> {
  await sql`select set_config('leitstand.retention', 'on', true)`.execute(tx)
  const { rows } = await sql<{ accountId: number; count: number }>`
    with gone as (
      delete from lock_activations where id = any(array(
        select v.id from lock_activations v left join lock_settings s on s.account_id = v.account_id
        where v.result is not null
          and v.requested_at < ${now}::timestamptz - make_interval(months => coalesce(s.log_months, ${months}::int))
        limit ${limit}))
      returning account_id)
    select account_id as "accountId", count(*)::int as count from gone group by account_id`.execute(tx)
  return new Map(rows.map(({ accountId, count }) => [accountId, count]))
}
