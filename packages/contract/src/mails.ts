import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time } from './common.ts'

export const Mail = z.object({
  id: Id,
  accountId: Id.nullable(),
  recipients: z.array(z.string()),
  subject: z.string(),
  body: z.string(),
  /** kept: no mail server is configured, the mail can be read here */
  status: z.enum(['queued', 'sent', 'failed', 'kept']),
  error: z.string().nullable(),
  createdAt: Time,
  sentAt: Time.nullable(),
})
export type Mail = z.infer<typeof Mail>

export const mail = {
  /** Mails the platform sent or keeps, newest first, of the accounts the caller manages. */
  list: operation
    .meta({ rule: { any: [{ subject: 'all', action: 'manage' }] } })
    .route({ method: 'GET', path: '/mail/outbox', tags: ['mail'], summary: 'Mails' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        status: z.enum(['queued', 'sent', 'failed', 'kept']).optional(),
      }),
    )
    .output(pageOf(Mail)),
}
