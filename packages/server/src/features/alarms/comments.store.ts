import type { AlarmComment } from '@leitstand/contract/alarms'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { type AlarmScopes, commentsOf, isVisible, withOrigins } from './store.ts'

/** An alarm that people take care of. */
export interface TendedAlarm {
  id: number
  accountId: number
  message: string
  isAcknowledged: boolean
  isOpen: boolean
  snoozedUntil: Date | null
  assignedTo: number | null
  /** of its twin or device; null: it is about none */
  scopeId: number | null
  comments: number
}

/** Who does something, with the name that is shown. */
export interface Author {
  userId: number | null
  name: string
}

/**
 * The alarms among these that are visible in these scopes, ascending.
 * @param options `lock`: until the transaction ends
 */
export async function findTended(
  db: Executor,
  scopes: AlarmScopes,
  ids: readonly number[],
  options: { lock?: boolean } = {},
): Promise<TendedAlarm[]> {
  let query = withOrigins(db)
    .where('alarms.id', '=', anyOf(ids))
    .where(isVisible(scopes))
    .select([
      'alarms.id',
      'alarms.account_id',
      'alarms.message',
      'alarms.acknowledged_at',
      'alarms.resolved_at',
      'alarms.snoozed_until',
      'alarms.assigned_to',
      'twins.scope_id as twin_scope_id',
      commentsOf(),
    ])
    .orderBy('alarms.id')
  if (options.lock) query = query.forUpdate('alarms')
  const rows = await query.execute()
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    message: row.message,
    isAcknowledged: row.acknowledged_at !== null,
    isOpen: row.resolved_at === null,
    snoozedUntil: row.snoozed_until,
    assignedTo: row.assigned_to,
    scopeId: row.twin_scope_id,
    comments: row.comments,
  }))
}

export async function setAcknowledged(
  tx: Executor,
  ids: readonly number[],
  { userId, name }: Author,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('alarms')
    .set({ acknowledged_at: at, acknowledged_by: userId, acknowledged_name: name })
    .where('id', '=', anyOf(ids))
    .execute()
}

export async function setAssigned(
  tx: Executor,
  ids: readonly number[],
  to: { id: number; name: string } | null,
): Promise<void> {
  await tx
    .updateTable('alarms')
    .set({ assigned_to: to?.id ?? null, assigned_name: to?.name ?? null })
    .where('id', '=', anyOf(ids))
    .execute()
}

export async function setSnoozed(
  tx: Executor,
  ids: readonly number[],
  until: Date | null,
  { name }: Author,
): Promise<void> {
  await tx
    .updateTable('alarms')
    .set({ snoozed_until: until, snoozed_name: until === null ? null : name })
    .where('id', '=', anyOf(ids))
    .execute()
}

/** The same text for several alarms. @returns in the order of the alarms */
export async function insertComments(
  tx: Executor,
  alarmIds: readonly number[],
  { userId, name }: Author,
  text: string,
): Promise<AlarmComment[]> {
  const rows = await tx
    .insertInto('alarm_comments')
    .values(alarmIds.map((alarm_id) => ({ alarm_id, user_id: userId, user_name: name, text })))
    .returning(['id', 'at', 'user_name', 'text'])
    .execute()
  return rows.map(toComment)
}

/** Oldest first. */
export async function listComments(
  db: Executor,
  alarmId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: AlarmComment[]; total: number }> {
  const query = db.selectFrom('alarm_comments').where('alarm_id', '=', alarmId)
  const rows = await query
    .select(['id', 'at', 'user_name', 'text'])
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toComment), total }
}

function toComment(row: { id: number; at: Date; user_name: string; text: string }): AlarmComment {
  return { id: row.id, at: row.at.toISOString(), by: row.user_name, text: row.text }
}
