import { sql } from 'kysely'
import { type Db, type Executor, jsonb } from '../db/index.ts'
import type { NewMail } from './index.ts'

/** @returns the id */
export async function insertMail(
  tx: Executor,
  mail: Omit<NewMail, 'secret'> & { secret: string | null; status: 'queued' | 'kept'; at: Date },
): Promise<number> {
  const { id } = await tx
    .insertInto('mails')
    .values({
      account_id: mail.accountId,
      recipients: [...mail.recipients],
      subject: mail.subject,
      body: mail.body,
      secret: mail.secret,
      status: mail.status,
      origin: jsonb(mail.origin ?? {}),
      created_at: mail.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export function readMail(db: Db, id: number) {
  return db
    .selectFrom('mails')
    .select(['id', 'recipients', 'subject', 'body', 'secret', 'status', 'created_at', 'account_id'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function setSent(db: Db, id: number, at: Date): Promise<void> {
  await db
    .updateTable('mails')
    .set({ status: 'sent', sent_at: at, error: null, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .execute()
}

/** There is no server any more: the mail can be read in the console. */
export async function setKept(db: Db, id: number): Promise<void> {
  await db.updateTable('mails').set({ status: 'kept', error: null }).where('id', '=', id).execute()
}

/** Notes a failed attempt. @param status queued when it will be tried again */
export async function setFailed(
  db: Db,
  id: number,
  status: 'queued' | 'failed',
  error: string,
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ status, error: error.slice(0, 1000), attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .execute()
}
