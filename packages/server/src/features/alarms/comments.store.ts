import type { AlarmComment } from '@leitstand/contract/alarms'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { type AlarmScopes, commentsOf, isVisible } from './store.ts'

/** An alarm that people take care of. */
export interface TendedAlarm {
  id: number
  accountId: number
  message: string
  isAcknowledged: boolean
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
  let query = db
    .selectFrom('alarms')
    .innerJoin('twins', 'twins.id', 'alarms.twin_id')
    .where('alarms.id', '=', anyOf(ids))
    .where(isVisible(scopes))
    .select(['alarms.id', 'alarms.account_id', 'alarms.message', 'alarms.acknowledged_at', commentsOf()])
    .orderBy('alarms.id')
  if (options.lock) query = query.forUpdate('alarms')
  const rows = await query.execute()
  return rows.map(({ id, account_id: accountId, message, acknowledged_at: at, comments }) => ({
    id,
    accountId,
    message,
    isAcknowledged: at !== null,
    comments,
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
