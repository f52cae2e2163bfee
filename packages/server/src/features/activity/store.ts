import type { Activity } from '@leitstand/contract'
import { anyOf, contains, type Executor, jsonb } from '../../platform/db/index.ts'

export interface NewActivity {
  accountId: number | null
  userId: number | null
  userName: string
  ip: string
  /** who really acted */
  impersonator: { readonly userId: number; readonly name: string } | null
  action: string
  subject: string
  objectId: number | null
  objectTitle: string
  changes?: object | null | undefined
}

export async function insertActivity(tx: Executor, entry: NewActivity): Promise<void> {
  await tx
    .insertInto('activities')
    .values({
      account_id: entry.accountId,
      user_id: entry.userId,
      user_name: entry.userName,
      ip: entry.ip,
      impersonator_id: entry.impersonator?.userId ?? null,
      impersonator_name: entry.impersonator?.name ?? null,
      action: entry.action,
      subject: entry.subject,
      object_id: entry.objectId,
      object_title: entry.objectTitle.slice(0, 200),
      changes: entry.changes ? jsonb(entry.changes) : null,
    })
    .execute()
}

export interface ActivityFilter {
  offset: number
  limit: number
  search?: string | undefined
  accountIds?: number[] | undefined
  subject?: string | undefined
  objectId?: number | undefined
  from?: string | undefined
  to?: string | undefined
}

/**
 * Newest first, of the accounts whose own scope is among `scopeIds`; entries without an account only with
 * `withSystem`.
 */
export async function listActivities(
  db: Executor,
  scopeIds: readonly number[],
  withSystem: boolean,
  filter: ActivityFilter,
): Promise<{ items: Activity[]; total: number }> {
  let query = db.selectFrom('activities').where((where) => {
    const accounts = where.selectFrom('scopes').select('account_id')
    const managed = where(
      'account_id',
      'in',
      accounts.where('twin_id', 'is', null).where('id', '=', anyOf(scopeIds)),
    )
    return withSystem ? where.or([managed, where('account_id', 'is', null)]) : managed
  })
  if (filter.search) {
    const pattern = contains(filter.search)
    query = query.where((where) =>
      where.or([
        where('object_title', 'ilike', pattern),
        where('user_name', 'ilike', pattern),
        where('impersonator_name', 'ilike', pattern),
      ]),
    )
  }
  if (filter.accountIds) query = query.where('account_id', '=', anyOf(filter.accountIds))
  if (filter.subject) query = query.where('subject', '=', filter.subject)
  if (filter.objectId) query = query.where('object_id', '=', filter.objectId)
  if (filter.from) query = query.where('at', '>=', new Date(filter.from))
  if (filter.to) query = query.where('at', '<', new Date(filter.to))
  const rows = await query
    .selectAll()
    .orderBy('id', 'desc')
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const { total } = await query
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const items = rows.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    accountId: row.account_id,
    userId: row.user_id,
    userName: row.user_name,
    ip: row.ip,
    impersonatorName: row.impersonator_name,
    action: row.action,
    subject: row.subject,
    objectId: row.object_id,
    objectTitle: row.object_title,
    changes: row.changes as Activity['changes'],
  }))
  return { items, total }
}
