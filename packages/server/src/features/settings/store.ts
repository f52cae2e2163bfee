import type { Mail } from '@leitstand/contract'
import { anyOf, contains, type Executor } from '../../platform/db/index.ts'

export interface MailFilter {
  offset: number
  limit: number
  search?: string | undefined
  status?: Mail['status'] | undefined
}

/**
 * Mails of the accounts whose own scope is among `scopeIds`, newest first; those without an account only with
 * `withSystem`.
 */
export async function listMails(
  db: Executor,
  scopeIds: readonly number[],
  withSystem: boolean,
  filter: MailFilter,
): Promise<{ items: (Mail & { secret: string | null })[]; total: number }> {
  let query = db.selectFrom('mails').where((where) => {
    const accounts = where.selectFrom('scopes').select('account_id').where('twin_id', 'is', null)
    const managed = where('account_id', 'in', accounts.where('id', '=', anyOf(scopeIds)))
    return withSystem ? where.or([managed, where('account_id', 'is', null)]) : managed
  })
  if (filter.status) query = query.where('status', '=', filter.status)
  if (filter.search) {
    const pattern = contains(filter.search)
    query = query.where((where) =>
      where.or([where('subject', 'ilike', pattern), where('body', 'ilike', pattern)]),
    )
  }
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
    accountId: row.account_id,
    recipients: row.recipients,
    subject: row.subject,
    body: row.body,
    secret: row.secret,
    status: row.status as Mail['status'],
    error: row.error,
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
  }))
  return { items, total }
}
