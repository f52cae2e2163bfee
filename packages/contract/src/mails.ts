import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time, Version } from './common.ts'
import { may } from './permissions.ts'

export const Mail = z.object({
  id: Id,
  accountId: Id.nullable(),
  recipients: z.array(z.string()),
  subject: z.string(),
  body: z.string(),
  /** `kept`: no mail server is configured, the mail can be read here */
  status: z.enum(['queued', 'sent', 'failed', 'kept']),
  error: z.string().nullable(),
  /**
   * what is not known because a delivery ended without an answer: `arrived`, whether it has; `twice`, whether it has more than
   * once
   */
  doubt: z.enum(['arrived', 'twice']).nullable(),
  /** recipients the mail server refused, with its replies; it accepted the others */
  refused: z.array(z.object({ address: z.string(), reason: z.string() })),
  createdAt: Time,
  sentAt: Time.nullable(),
  /** a rule has sent it: `trace.mail` finds out why */
  ofRule: z.boolean(),
  /** pictures attached to feedback */
  attachments: z.array(z.object({ id: Id, name: z.string(), type: z.string(), size: z.int() })),
})
export type Mail = z.infer<typeof Mail>

/** Mails that were not sent are counted up to this number. */
export const notSentMax = 1000

export const Address = z.email({ pattern: z.regexes.html5Email }).max(200)
const MailSecurity = z.enum(['none', 'starttls', 'tls'])

/** A mail server configured for an account. */
export const MailServerInput = z.object({
  /** name or IP address */
  host: z
    .string()
    .trim()
    .toLowerCase()
    .min(1)
    .max(253)
    .regex(/^[a-z0-9._:-]+$/),
  port: z.int().min(1).max(65535),
  /** `starttls`: nothing is sent without it; `tls`: from the start of the connection */
  security: MailSecurity,
  /** empty: no authentication */
  user: z.string().trim().max(200).default(''),
  /** absent: the stored one, as long as host, port, security and user are unchanged */
  password: z.string().max(500).optional(),
  senderName: z.string().trim().max(100).default(''),
  senderAddress: Address,
})
export type MailServerInput = z.infer<typeof MailServerInput>

export const MailSettings = z.object({
  /** of the account */
  version: Version,
  /** null inherits; the password is never returned */
  own: MailServerInput.omit({ password: true }).extend({ hasPassword: z.boolean() }).nullable(),
  /** the server used when the account has none of its own */
  inherited: z.object({
    kind: z.enum(['account', 'platform', 'none']),
    /** null if the caller cannot see that account */
    accountName: z.string().nullable(),
    /** address of the sender */
    sender: z.string().nullable(),
  }),
})
export type MailSettings = z.infer<typeof MailSettings>

const manageAll = may('all', 'manage')

/** The mail server of an account; those below it inherit it. */
export const mailServer = {
  getMailServer: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/tenant/{id}/mail-server',
      tags: ['accounts'],
      summary: 'The mail server of an account',
    })
    .input(z.object({ id: Id }))
    .output(MailSettings),
  /**
   * Sets the mail server; null inherits. Servers outside the public internet are only possible if the
   * operator allows their network.
   */
  setMailServer: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/mail-server',
      tags: ['accounts'],
      summary: 'Set the mail server of an account',
    })
    .input(z.object({ id: Id, version: Version, server: MailServerInput.nullable() }))
    .output(MailSettings),
  /**
   * Sends a mail with a fixed text, through these settings or, without them, through the stored or inherited
   * ones. Returns the server's reply; failures are `MAIL_TRANSPORT_INVALID` or `MAIL_NO_SENDER` with the
   * server's text (`step`, `reply`). Limited to a few per minute.
   */
  testMailServer: operation
    .meta({ rule: manageAll, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/tenant/{id}/mail-server/test',
      tags: ['accounts'],
      summary: 'Send a test mail',
    })
    .input(z.object({ id: Id, to: Address, server: MailServerInput.optional() }))
    .output(z.object({ host: z.string(), port: z.int(), reply: z.string() })),
}

export const mail = {
  /** Mails that the platform sent or kept, newest first, of the accounts the caller manages. */
  list: operation
    .meta({ rule: manageAll, reads: 'replica' })
    .route({ method: 'GET', path: '/mail/outbox', tags: ['mail'], summary: 'Mails' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        status: z.enum(['queued', 'sent', 'failed', 'kept']).optional(),
      }),
    )
    .output(pageOf(Mail)),
  /** Whether mails leave: the mail server of the caller's account, and the mails of the last days that did not. */
  state: operation
    .meta({ rule: manageAll })
    .route({ method: 'GET', path: '/mail/state', tags: ['mail'], summary: 'Whether mails are sent' })
    .output(
      z.object({
        hasServer: z.boolean(),
        /** counted from this time on, each up to `notSentMax` */
        since: Time,
        /** not sent, because there is no mail server */
        kept: z.int(),
        /** not sent, because the mail server refused them */
        failed: z.int(),
        /** not sent yet, although it was tried */
        delayed: z.int(),
      }),
    ),
  /** An attachment of a mail, as a download. */
  attachment: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/mail/attachments/{id}',
      tags: ['mail'],
      summary: 'Download an attachment of a mail',
      outputStructure: 'detailed',
    })
    .input(z.object({ id: Id }))
    .output(z.object({ headers: z.object({ 'content-disposition': z.string() }), body: z.file() })),
}
