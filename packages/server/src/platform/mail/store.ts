import { sql } from 'kysely'
import { type Db, type Executor, jsonb } from '../db/index.ts'
import type { ChartRequest, NewMail } from './index.ts'
import type { Attachment, RefusedRecipient } from './transport.ts'

export type MailStatus = 'queued' | 'sent' | 'failed' | 'kept'

/**
 * What is not known of a mail because a delivery ended without an answer: `arrived`, whether it has; `twice`, whether it has
 * more than once.
 */
export type MailDoubt = 'arrived' | 'twice'

const errorLengthMax = 1000

/** What became of a mail. */
export interface MailState {
  status: MailStatus
  doubt: MailDoubt | null
  error: string | null
  /** recipients the mail server refused; it accepted the others */
  refused: readonly { address: string; reason: string | null }[]
}

/** @returns null: it is under way, or what became of it is known */
export function doubtOf(mail: {
  status: string
  error: string | null
  handed_over_at: Date | null
  may_repeat: boolean
}): MailDoubt | null {
  if (mail.status === 'sent') return mail.may_repeat ? 'twice' : null
  if (mail.status === 'queued' && mail.error === null) return null
  return mail.may_repeat || mail.handed_over_at !== null ? 'arrived' : null
}

/** @returns the id */
export async function insertMail(
  tx: Executor,
  mail: Omit<NewMail, 'secret'> & {
    secret: string | null
    confidential: boolean
    status: 'queued' | 'kept'
    at: Date
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('mails')
    .values({
      account_id: mail.accountId,
      recipients: [...mail.recipients],
      subject: mail.subject,
      body: mail.body,
      html: mail.html ?? null,
      secret: mail.secret,
      status: mail.status,
      origin: jsonb(mail.origin ?? {}),
      reply_to: mail.replyTo ?? null,
      confidential: mail.confidential,
      addressee_id: mail.addresseeId ?? null,
      charts: mail.charts?.length ? jsonb(mail.charts) : null,
      unsubscribe_url: mail.unsubscribeUrl ?? null,
      created_at: mail.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const attachments = (mail.attachments ?? []).map((each) => ({ mail_id: id, ...each }))
  if (attachments.length > 0) await tx.insertInto('mail_attachments').values(attachments).execute()
  return id
}

/** With their content, in their original order. */
export function attachmentsOf(
  db: Executor,
  mailId: number,
): Promise<(Attachment & { id: number; inline: boolean })[]> {
  return db
    .selectFrom('mail_attachments')
    .select(['id', 'name', 'type', 'bytes', 'inline'])
    .where('mail_id', '=', mailId)
    .orderBy('id')
    .execute()
}

export function readMail(db: Db, id: number) {
  return db
    .selectFrom('mails')
    .select([
      'id',
      'recipients',
      'subject',
      'body',
      'html',
      'secret',
      'status',
      'created_at',
      'account_id',
      'reply_to',
      'confidential',
      'addressee_id',
      'unsubscribe_url',
      sql<ChartRequest[] | null>`charts`.as('charts'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * What became of mails, by id; deleted ones are missing.
 * @param mayRead accounts whose mails may be read: others come without the reply of the mail server
 */
export async function readOutcomes(
  db: Executor,
  ids: readonly number[],
  mayRead: readonly number[],
): Promise<Map<number, MailState>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{
    id: number
    status: MailStatus
    error: string | null
    refused: RefusedRecipient[] | null
    handed_over_at: Date | null
    may_repeat: boolean
    open: boolean
  }>`
    select id, status, error, refused, handed_over_at, may_repeat, coalesce(account_id = any(${[...mayRead]}::int[]), false) as open
    from mails where id = any(${[...ids]}::bigint[])`.execute(db)
  return new Map(
    rows.map(({ id, status, error, refused, open, ...row }) => [
      id,
      {
        status,
        doubt: doubtOf({ status, error, ...row }),
        error: open ? error : null,
        refused: (refused ?? []).map(({ address, reason }) => ({ address, reason: open ? reason : null })),
      },
    ]),
  )
}

/** Stores the pictures of charts, which are not drawn again when the mail has to be sent again. */
export async function storePictures(db: Db, mailId: number, pictures: readonly Attachment[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const rows = pictures.map(({ name, type, bytes }) => ({
      mail_id: mailId,
      name,
      type,
      bytes,
      inline: true,
    }))
    if (rows.length > 0) await tx.insertInto('mail_attachments').values(rows).execute()
    await tx.updateTable('mails').set({ charts: null }).where('id', '=', mailId).execute()
  })
}

/** Records that the mail server of an account is about to see a mail. */
export async function noteSeen(db: Db, id: number, accountId: number): Promise<void> {
  await db
    .updateTable('mails')
    .set({ seen_by: sql`array_append(array_remove(seen_by, ${accountId}), ${accountId})` })
    .where('id', '=', id)
    .execute()
}

/** Records that a mail server is about to get the content of a mail, perhaps for the second time. */
export async function noteHandedOver(db: Db, id: number, at: Date): Promise<void> {
  await db
    .updateTable('mails')
    .set({ may_repeat: sql`may_repeat or handed_over_at is not null`, handed_over_at: at })
    .where('id', '=', id)
    .execute()
}

/** @param refused recipients the mail server refused */
export async function setSent(
  db: Db,
  id: number,
  at: Date,
  refused: readonly RefusedRecipient[],
): Promise<void> {
  await db
    .updateTable('mails')
    .set({
      status: 'sent',
      sent_at: at,
      error: null,
      handed_over_at: null,
      refused: refused.length === 0 ? null : jsonb(refused),
      attempts: sql`attempts + 1`,
    })
    .where('id', '=', id)
    .execute()
}

/** There is no mail server: the mail can be read in the console. */
export async function setKept(db: Db, id: number): Promise<void> {
  await db.updateTable('mails').set({ status: 'kept', error: null }).where('id', '=', id).execute()
}

/**
 * Records a failed attempt; whether there will be another one is not known here.
 * @param isAnswered whether the mail server has refused the content that was handed over
 */
export async function noteFailed(
  db: Db,
  id: number,
  { error, isAnswered }: { error: string; isAnswered: boolean },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({
      error: error.slice(0, errorLengthMax),
      attempts: sql`attempts + 1`,
      ...(isAnswered ? { handed_over_at: null } : {}),
    })
    .where('id', '=', id)
    .execute()
}

/** Ids of queued mails, ascending. */
export async function findQueued(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('mails')
    .select('id')
    .where('status', '=', 'queued')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Mails that are still queued have failed: no attempt is left.
 * @param error of the last attempt; null: it did not end
 * @returns those that were queued
 */
export async function setGivenUp(db: Db, ids: readonly number[], error: string | null): Promise<number[]> {
  if (ids.length === 0) return []
  const interrupted = 'The last attempt to send it was interrupted or took too long.'
  const { rows } = await sql<{ id: number }>`
    update mails set status = 'failed', error = left(coalesce(${error}::text,
      concat_ws(' ', ${interrupted}::text, 'Last known error: ' || error)), ${errorLengthMax}::int)
    where id = any(${[...ids]}::bigint[]) and status = 'queued' returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes mails of an account older than `before`, except queued ones, at most `limit`. @returns how many */
export async function deleteOldMails(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mails where id = any(array(
      select id from mails where account_id = ${accountId} and created_at < ${before} and status <> 'queued'
      limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
