import type { Clock } from '../clock.ts'
import type { Db, Executor } from '../db/index.ts'
import { AppError, messageOf } from '../errors.ts'
import type { Jobs } from '../jobs/index.ts'
import type { Logger } from '../log.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Secrets } from '../secrets.ts'
import { findServer, opened, serverOf } from './servers.ts'
import { attachmentsOf, insertMail, readMail, setFailed, setKept, setSent } from './store.ts'
import { type Attachment, deliver, type Letter, type MailServer, refusalOf } from './transport.ts'

export interface NewMail {
  accountId: number | null
  recipients: readonly string[]
  subject: string
  /** plain text; `{secret}` stands for what is below */
  body: string
  /** what only the recipient may see, such as a link that sets a password; it is encrypted */
  secret?: string
  /** what it is about, e.g. `{ ruleId: 12 }` */
  origin?: Record<string, unknown>
  /** who gets the answer; absent: the sender */
  replyTo?: string
  attachments?: readonly Attachment[]
}

const queue = 'mail.send'
const recipientsMax = 50
const subjectLengthMax = 200
const bodyLengthMax = 100_000
const secretPurpose = 'mail'
const secretPlace = '{secret}'
const sendTimeoutMs = 30_000
/** Somebody waits for the answer. */
const testTimeoutMs = 8000
/** With the wait doubling from 30 s the last attempt comes after about two hours. */
const retries = 8
const retryDelaySeconds = 30

interface MailerOptions {
  db: Db
  jobs: Jobs
  clock: Clock
  log: Logger
  secrets: Secrets
  outgoing: Outgoing
  /** absent: mails of accounts without a mail server are kept and can be read in the console */
  smtpUrl?: string
  /** sender address */
  from: string
}

/** A server, and where it may be: those that users name are guarded. */
type Route = { server: MailServer; guard?: Outgoing }

/**
 * Mails through a table: stored with the change that caused them, sent by a job, tried again, visible in the console.
 * Those of an account leave through its mail server or the nearest above it, else through that of the configuration.
 */
export class Mailer {
  readonly #options: MailerOptions
  readonly #platform: MailServer | undefined

  constructor(options: MailerOptions) {
    this.#options = options
    this.#platform = options.smtpUrl === undefined ? undefined : serverOf(options.smtpUrl, options.from)
    options.jobs.work<{ mailId: number }>(queue, ({ mailId }, run) => this.#send(mailId, run.retry), {
      retries,
      retryDelaySeconds,
      timeoutSeconds: 120,
      concurrency: 2,
    })
  }

  /**
   * Stores a mail in the caller's transaction; it leaves after the commit.
   * @returns the id of the mail
   */
  async send(tx: Executor, mail: NewMail): Promise<number> {
    const leaves = this.#platform !== undefined || (await findServer(tx, mail.accountId)) !== undefined
    const id = await insertMail(tx, {
      ...mail,
      recipients: mail.recipients.slice(0, recipientsMax),
      subject: mail.subject.replace(/[\r\n]+/g, ' ').slice(0, subjectLengthMax),
      body: mail.body.slice(0, bodyLengthMax),
      secret: mail.secret === undefined ? null : this.#options.secrets.seal(mail.secret, secretPurpose),
      status: leaves ? 'queued' : 'kept',
      at: this.#options.clock.now(),
    })
    if (leaves) await this.#options.jobs.send(tx, queue, { mailId: id })
    return id
  }

  /** Sender of the mails that leave through the server of the configuration; undefined without one. */
  get platformSender(): string | undefined {
    return this.#platform === undefined ? undefined : this.#options.from
  }

  /**
   * Sends a mail at once, without keeping it, to try a server.
   * @param server absent: the one mails of the account leave through
   * @returns what the server said, and which it was
   * @throws AppError MAIL_NO_SERVER, MAIL_TRANSPORT_INVALID, MAIL_NO_SENDER, OUTGOING_HOST_UNKNOWN,
   * OUTGOING_ADDRESS_FORBIDDEN
   */
  async probe(
    accountId: number,
    letter: Omit<Letter, 'messageId'>,
    server?: MailServer,
  ): Promise<{ host: string; port: number; reply: string }> {
    const { db, outgoing, clock } = this.#options
    const route = server ? { server, guard: outgoing } : await this.#routeOf(db, accountId)
    if (route === undefined) throw new AppError('MAIL_NO_SERVER')
    const { host, port } = route.server
    const messageId = `test.${accountId}.${clock.now().getTime()}@leitstand`
    try {
      const reply = await deliver(route.server, { ...letter, messageId }, testTimeoutMs, route.guard)
      return { host, port, reply }
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** The text as its recipient sees it. */
  fullText({ body, secret }: { body: string; secret: string | null }): string {
    return secret === null
      ? body
      : body.replaceAll(secretPlace, () => this.#options.secrets.open(secret, secretPurpose))
  }

  async #routeOf(db: Executor, accountId: number | null): Promise<Route | undefined> {
    const { secrets, outgoing } = this.#options
    const stored = await findServer(db, accountId)
    if (stored) return { server: opened(stored, secrets), guard: outgoing }
    return this.#platform && { server: this.#platform }
  }

  async #send(mailId: number, retry: number): Promise<void> {
    const { db, clock, log } = this.#options
    const mail = await readMail(db, mailId)
    if (!mail || mail.status === 'sent') return
    try {
      const route = await this.#routeOf(db, mail.account_id)
      // The server has been taken away since.
      if (route === undefined) return await setKept(db, mailId)
      const letter = {
        ...{ recipients: mail.recipients, subject: mail.subject, text: this.fullText(mail) },
        ...(mail.reply_to === null ? {} : { replyTo: mail.reply_to }),
        attachments: await attachmentsOf(db, mailId),
        // The same mail after a crash carries the same id, so that the receiver can drop the second one.
        messageId: `${mail.id}.${mail.created_at.getTime()}@leitstand`,
      }
      await deliver(route.server, letter, sendTimeoutMs, route.guard)
      await setSent(db, mailId, clock.now())
    } catch (error) {
      const last = retry >= retries
      await setFailed(db, mailId, last ? 'failed' : 'queued', messageOf(error))
      if (last) log.error({ mailId, err: error }, 'mail given up')
      else throw error
    }
  }
}
