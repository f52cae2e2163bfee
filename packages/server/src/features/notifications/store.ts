import type { AlarmNotification } from '@leitstand/contract/alarmNotifications'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { Bucket } from '../../platform/tokenBucket.ts'
import type { Told, Wish } from './match.ts'
import { minuteOf, type Timing, timeOf } from './times.ts'

export type NotificationFields = Omit<
  AlarmNotification,
  'id' | 'version' | 'connectorName' | 'twinTitle' | 'groupTitle' | 'timeZone' | 'lastSentAt'
>

/** A notification of a user as it is stored. */
export interface NotificationRow extends AlarmNotification {
  userId: number
}

function select(db: Executor) {
  return db
    .selectFrom('alarm_notifications as n')
    .leftJoin('connectors as c', 'c.id', 'n.connector_id')
    .leftJoin('twins as t', 't.id', 'n.twin_id')
    .leftJoin('smart_groups as g', 'g.id', 'n.group_id')
    .selectAll('n')
    .select(['c.name as connector_name', 't.title as twin_title', 'g.title as group_title'])
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

function toRow(row: Row): NotificationRow {
  const { quiet_from: from, quiet_to: to, digest_minute: digest } = row
  return {
    id: row.id,
    userId: row.user_id,
    version: row.version,
    title: row.title,
    active: row.active,
    channel: row.channel as AlarmNotification['channel'],
    connectorId: row.connector_id,
    connectorName: row.connector_name,
    errorsOnly: row.errors_only,
    categories: row.categories as AlarmNotification['categories'],
    sources: row.sources as AlarmNotification['sources'],
    twinId: row.twin_id,
    twinTitle: row.twin_title,
    groupId: row.group_id,
    groupTitle: row.group_title,
    resolved: row.resolved,
    digestAt: digest === null ? null : timeOf(digest),
    quiet: from === null || to === null ? null : { from: timeOf(from), to: timeOf(to) },
    timeZone: row.time_zone,
    lastSentAt: row.last_sent_at?.toISOString() ?? null,
  }
}

/** Of a user, in the order in which they were made. */
export async function listNotifications(
  db: Executor,
  userId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: NotificationRow[]; total: number }> {
  const rows = await select(db)
    .where('n.user_id', '=', userId)
    .orderBy('n.id')
    .offset(offset)
    .limit(limit)
    .execute()
  const { total } = await db
    .selectFrom('alarm_notifications')
    .where('user_id', '=', userId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toRow), total }
}

/** @param userId whose it has to be */
export async function findNotification(
  db: Executor,
  id: number,
  userId: number,
): Promise<NotificationRow | undefined> {
  const row = await select(db).where('n.id', '=', id).where('n.user_id', '=', userId).executeTakeFirst()
  return row && toRow(row)
}

function columnsOf(fields: NotificationFields) {
  return {
    title: fields.title,
    active: fields.active,
    channel: fields.channel,
    connector_id: fields.connectorId,
    errors_only: fields.errorsOnly,
    categories: [...fields.categories],
    sources: [...fields.sources],
    twin_id: fields.twinId,
    group_id: fields.groupId,
    resolved: fields.resolved,
    digest_minute: fields.digestAt === null ? null : minuteOf(fields.digestAt),
    quiet_from: fields.quiet === null ? null : minuteOf(fields.quiet.from),
    quiet_to: fields.quiet === null ? null : minuteOf(fields.quiet.to),
  }
}

/** @returns undefined when the user has as many as they can have */
export async function insertNotification(
  tx: Executor,
  userId: number,
  fields: NotificationFields,
  { timeZone, bucket, max }: { timeZone: string; bucket: Bucket; max: number },
): Promise<number | undefined> {
  // Serialises the notifications of a user, so that two calls cannot exceed the limit together.
  await sql`select from users where id = ${userId} for no key update`.execute(tx)
  const { total } = await tx
    .selectFrom('alarm_notifications')
    .where('user_id', '=', userId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  if (total >= max) return undefined
  const { id } = await tx
    .insertInto('alarm_notifications')
    .values({
      user_id: userId,
      ...columnsOf(fields),
      time_zone: timeZone,
      tokens: bucket.tokens,
      tokens_at: new Date(bucket.atMs),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Messages that wait are sent as planned. @returns false when it was changed in the meantime */
export async function updateNotification(
  tx: Executor,
  { id, version }: { id: number; version: number },
  fields: NotificationFields,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('alarm_notifications')
    .set({ ...columnsOf(fields), version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (!fields.active) await tx.deleteFrom('alarm_notices').where('notification_id', '=', id).execute()
  return numUpdatedRows === 1n
}

export async function deleteNotification(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('alarm_notifications').where('id', '=', id).execute()
}

/** A notification that may have to tell of alarms in a scope. */
export interface Listener extends Wish, Timing {
  id: number
  /** a scope of the alarms; who listens has a role there or above */
  scopeId: number
}

/** Active notifications of users with a role in these scopes or above, once for each scope. */
export async function readListeners(tx: Executor, scopeIds: readonly number[]): Promise<Listener[]> {
  const { rows } = await sql<{
    id: number
    user_id: number
    errors_only: boolean
    categories: string[]
    sources: string[]
    twin_id: number | null
    group_id: number | null
    resolved: boolean
    digest_minute: number | null
    quiet_from: number | null
    quiet_to: number | null
    time_zone: string
    scope_id: number
  }>`
    with recursive up (scope_id, at_id) as (
      select id, id from scopes where id = ${anyOf(scopeIds)}
      union all
      select up.scope_id, s.parent_id from up join scopes s on s.id = up.at_id where s.parent_id is not null)
    select distinct n.id, n.user_id, n.errors_only, n.categories, n.sources, n.twin_id, n.group_id, n.resolved, n.digest_minute,
      n.quiet_from, n.quiet_to, n.time_zone, up.scope_id
    from alarm_notifications n join user_access a on a.user_id = n.user_id join up on up.at_id = a.scope_id
    where n.active order by n.id`.execute(tx)
  return rows.map((row) => ({
    id: row.id,
    scopeId: row.scope_id,
    userId: row.user_id,
    errorsOnly: row.errors_only,
    categories: row.categories,
    sources: row.sources,
    twinId: row.twin_id,
    groupId: row.group_id,
    resolved: row.resolved,
    timeZone: row.time_zone,
    digestMinute: row.digest_minute,
    quiet:
      row.quiet_from === null || row.quiet_to === null ? null : { from: row.quiet_from, to: row.quiet_to },
  }))
}

/** Twins with all twins above them, by twin. */
export async function readTwinsAbove(
  tx: Executor,
  twinIds: readonly number[],
): Promise<Map<number, Set<number>>> {
  if (twinIds.length === 0) return new Map()
  const { rows } = await sql<{ twin_id: number; above: number[] }>`
    with recursive up (twin_id, at_id) as (
      select id, id from twins where id = ${anyOf(twinIds)}
      union all
      select up.twin_id, t.parent_id from up join twins t on t.id = up.at_id where t.parent_id is not null)
    select twin_id, array_agg(at_id) as above from up group by twin_id`.execute(tx)
  return new Map(rows.map(({ twin_id: id, above }) => [id, new Set(above)]))
}

export interface NewNotice {
  notificationId: number
  alarmId: number
  what: Told
  dueAt: Date
}

/** Notices of one notification that wait; more are only counted. */
const waitingMax = 200

/** Stores notices. Of each notification a bounded number waits, the rest is counted. */
export async function insertNotices(tx: Executor, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return
  const byId = Map.groupBy(notices, ({ notificationId }) => notificationId)
  const ids = [...byId.keys()].sort((a, b) => a - b)
  // Locked in order, so that counts are right although several processes do this.
  await sql`select from alarm_notifications where id = ${anyOf(ids)} order by id for update`.execute(tx)
  const counted = await tx
    .selectFrom('alarm_notices')
    .where('notification_id', '=', anyOf(ids))
    .groupBy('notification_id')
    .select(({ fn }) => ['notification_id', fn.countAll<number>().as('waiting')])
    .execute()
  const waiting = new Map(counted.map((row) => [row.notification_id, row.waiting]))
  const kept = [...byId].flatMap(([id, own]) =>
    own.slice(0, Math.max(0, waitingMax - (waiting.get(id) ?? 0))),
  )
  const held = [...byId].flatMap(([id, own]) => {
    const count = own.length - Math.max(0, waitingMax - (waiting.get(id) ?? 0))
    return count > 0 ? [{ id, count }] : []
  })
  await sql`
    insert into alarm_notices (notification_id, alarm_id, what, due_at)
    select n.notification_id, n.alarm_id, n.what, n.due_at
    from unnest(${kept.map((notice) => notice.notificationId)}::int[], ${kept.map((notice) => notice.alarmId)}::bigint[],
      ${kept.map((notice) => notice.what)}::text[], ${kept.map((notice) => notice.dueAt)}::timestamptz[])
      with ordinality as n (notification_id, alarm_id, what, due_at, place)
    join alarms on alarms.id = n.alarm_id order by n.place`.execute(tx)
  if (held.length > 0)
    await sql`
      update alarm_notifications n set held = n.held + h.count
      from unnest(${held.map(({ id }) => id)}::int[], ${held.map(({ count }) => count)}::int[]) as h (id, count)
      where n.id = h.id`.execute(tx)
}

/** A notification whose time has come, locked. */
export interface DueNotification extends NotificationRow {
  bucket: Bucket
  held: number
  accountId: number
  email: string
  isUserActive: boolean
  properties: unknown
}

/** Takes notifications with something due; others may take the rest at the same time. */
export async function takeDueNotifications(
  tx: Executor,
  now: Date,
  limit: number,
): Promise<DueNotification[]> {
  const rows = await select(tx)
    .innerJoin('users as u', 'u.id', 'n.user_id')
    .select(['u.account_id', 'u.email', 'u.active as user_active', 'u.properties'])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('alarm_notices as q')
          .whereRef('q.notification_id', '=', 'n.id')
          .where('q.due_at', '<=', now)
          .select('q.id'),
      ),
    )
    .orderBy('n.id')
    .limit(limit)
    .forUpdate('n')
    .skipLocked()
    .execute()
  return rows.map((row) => ({
    ...toRow(row),
    bucket: { tokens: row.tokens, atMs: row.tokens_at.getTime() },
    held: row.held,
    accountId: row.account_id,
    email: row.email,
    isUserActive: row.user_active,
    properties: row.properties,
  }))
}

/** Takes what a notification has to tell now, oldest first. */
export async function takeNotices(
  tx: Executor,
  notificationId: number,
  now: Date,
): Promise<{ alarmId: number; what: Told }[]> {
  const { rows } = await sql<{ id: number; alarmId: number; what: Told }>`
    delete from alarm_notices where notification_id = ${notificationId} and due_at <= ${now}
    returning id, alarm_id as "alarmId", what`.execute(tx)
  return rows.sort((a, b) => a.id - b.id).map(({ alarmId, what }) => ({ alarmId, what }))
}

/** Tells later what is due now. */
export async function postpone(tx: Executor, notificationId: number, now: Date, until: Date): Promise<void> {
  await tx
    .updateTable('alarm_notices')
    .set({ due_at: until })
    .where('notification_id', '=', notificationId)
    .where('due_at', '<=', now)
    .execute()
}

/** The messages that a notification of a user may still send, locked. */
export async function lockBucket(tx: Executor, id: number, userId: number): Promise<Bucket | undefined> {
  const row = await tx
    .selectFrom('alarm_notifications')
    .select(['tokens', 'tokens_at'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  return row && { tokens: row.tokens, atMs: row.tokens_at.getTime() }
}

/** Notes that a message was sent. */
export async function noteSent(
  tx: Executor,
  id: number,
  { at, bucket }: { at: Date; bucket: Bucket },
): Promise<void> {
  await tx
    .updateTable('alarm_notifications')
    .set({ last_sent_at: at, held: 0, tokens: bucket.tokens, tokens_at: new Date(bucket.atMs) })
    .where('id', '=', id)
    .execute()
}

/** When the next notice is due; null: none waits. */
export async function nextNoticeAt(db: Executor): Promise<Date | null> {
  const row = await db
    .selectFrom('alarm_notices')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .executeTakeFirst()
  return row?.at ?? null
}

/** The account of a user with its time zone. */
export async function readHome(
  db: Executor,
  userId: number,
): Promise<{ accountId: number; timeZone: string; email: string; properties: unknown }> {
  const row = await db
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .select(['accounts.id', 'accounts.time_zone', 'users.email', 'users.properties'])
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow()
  return { accountId: row.id, timeZone: row.time_zone, email: row.email, properties: row.properties }
}

/** The newest alarm of an account; undefined: it has none. */
export async function findNewestAlarm(db: Executor, accountId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('alarms')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
