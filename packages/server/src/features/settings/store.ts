import type { Mail, ParkedEvent } from '@leitstand/contract'
import { notSentMax } from '@leitstand/contract/mails'
import { parkedPayloadMax } from '@leitstand/contract/parkedEvents'
import { parseSearch } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matchesTexts } from '../../platform/db/textFilter.ts'
import { doubtOf } from '../../platform/mail/index.ts'

export interface MailFilter {
  offset: number
  limit: number
  search?: string | undefined
  status?: Mail['status'] | undefined
}

/**
 * Mails of the accounts whose own scope is in `scopeIds`, newest first; those without an account only with
 * `withSystem`.
 */
export async function listMails(
  db: Executor,
  scopeIds: readonly number[],
  withSystem: boolean,
  filter: MailFilter,
): Promise<{ items: (Mail & { secret: string | null })[]; total: number }> {
  let query = managedMails(db, scopeIds, withSystem)
  if (filter.status) query = query.where(hasStatus(filter.status))
  const search = parseSearch(filter.search)
  if (search) query = query.where(matchesTexts([sql`subject`], search, sql`body`))
  const rows = await query
    .selectAll()
    .orderBy('id', 'desc')
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const attachments = await db
    .selectFrom('mail_attachments')
    .select(['id', 'mail_id', 'name', 'type', sql<number>`length(bytes)`.as('size')])
    .where('mail_id', '=', anyOf(rows.map(({ id }) => id)))
    .orderBy('id')
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
    doubt: doubtOf(row),
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
    ofRule: typeof row.origin === 'object' && row.origin !== null && 'ruleId' in row.origin,
    refused: (row.refused ?? []) as unknown as Mail['refused'],
    attachments: attachments
      .filter(({ mail_id }) => mail_id === row.id)
      .map(({ id, name, type, size }) => ({ id, name, type, size })),
  }))
  return { items, total }
}

function managedMails(db: Executor, scopeIds: readonly number[], withSystem: boolean) {
  return db.selectFrom('mails').where((where) => {
    const accounts = where.selectFrom('scopes').select('account_id').where('twin_id', 'is', null)
    const managed = where('mails.account_id', 'in', accounts.where('id', '=', anyOf(scopeIds)))
    return withSystem ? where.or([managed, where('mails.account_id', 'is', null)]) : managed
  })
}

/** The accounts in these scopes whose parents are not; at most 20. */
export async function topAccounts(db: Executor, scopeIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with managed as (select account_id as id from scopes where twin_id is null and id = any(${[...scopeIds]}::int[]))
    select a.id from managed m join accounts a on a.id = m.id
    where a.parent_id is null or a.parent_id not in (select id from managed) order by a.id limit 20`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/**
 * Condition that a mail has a status; those that some recipients refused count as failed, too. The status is a
 * literal, so that the planner knows which partial index holds all of them.
 */
function hasStatus(status: Mail['status']): RawBuilder<boolean> {
  const has = sql<boolean>`status = ${sql.lit(status)}`
  return status === 'failed' ? sql<boolean>`(${has} or refused is not null)` : has
}

/**
 * The mails since a time that were not sent, or not to all, by the reason; each counted up to `notSentMax`.
 */
export async function countNotSent(
  db: Executor,
  scopeIds: readonly number[],
  withSystem: boolean,
  since: Date,
): Promise<{ kept: number; failed: number; delayed: number }> {
  const count = async (status: 'kept' | 'failed' | 'queued') => {
    const found = managedMails(db, scopeIds, withSystem)
      .where(hasStatus(status))
      .where('created_at', '>=', since)
      .$if(status === 'queued', (query) => query.where('error', 'is not', null))
      .select('id')
      .limit(notSentMax)
    const { count } = await db
      .selectFrom(found.as('found'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const [kept, failed, delayed] = await Promise.all([count('kept'), count('failed'), count('queued')])
  return { kept, failed, delayed }
}

/** The attachment of a mail that `listMails` returns. */
export function findAttachment(db: Executor, scopeIds: readonly number[], withSystem: boolean, id: number) {
  return managedMails(db, scopeIds, withSystem)
    .innerJoin('mail_attachments', 'mail_attachments.mail_id', 'mails.id')
    .select(['mail_attachments.name', 'mail_attachments.type', 'mail_attachments.bytes'])
    .where('mail_attachments.id', '=', id)
    .executeTakeFirst()
}

/** Parked events, newest first; `search` finds consumers, topics and reasons. */
export async function listParked(
  db: Executor,
  { offset, limit, search }: { offset: number; limit: number; search?: string | undefined },
): Promise<{ items: ParkedEvent[]; total: number }> {
  let query = db.selectFrom('outbox_failures as f').leftJoin('accounts as a', 'a.id', 'f.account_id')
  const words = parseSearch(search)
  if (words) query = query.where(matchesTexts([sql`f.consumer`, sql`f.topic`], words, sql`f.error`))
  const rows = await query
    .select([
      'f.id',
      'f.consumer',
      'f.topic',
      'f.account_id',
      'a.name',
      'f.error',
      'f.attempts',
      'f.at',
      'f.retry',
    ])
    .select(sql<string>`left(f.payload::text, ${parkedPayloadMax})`.as('payload'))
    .orderBy('f.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  const { total } = await query
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const items = rows.map((row) => ({
    id: row.id,
    consumer: row.consumer,
    topic: row.topic,
    accountId: row.account_id,
    accountName: row.name,
    payload: row.payload,
    reason: row.error,
    attempts: row.attempts,
    parkedAt: row.at.toISOString(),
    waits: row.retry,
  }))
  return { items, total }
}
