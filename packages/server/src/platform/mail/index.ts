import { createTransport, type Transporter } from 'nodemailer'
import type { Clock } from '../clock.ts'
import type { Db, Executor } from '../db/index.ts'
import { messageOf } from '../errors.ts'
import type { Jobs } from '../jobs/index.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import { insertMail, readMail, setFailed, setSent } from './store.ts'

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
}

const queue = 'mail.send'
const recipientsMax = 50
const subjectLengthMax = 200
const bodyLengthMax = 100_000
const secretPurpose = 'mail'
const secretPlace = '{secret}'
const sendTimeoutMs = 30_000
/** With the wait doubling from 30 s the last attempt comes after about two hours. */
const retries = 8
const retryDelaySeconds = 30

interface MailerOptions {
  db: Db
  jobs: Jobs
  clock: Clock
  log: Logger
  secrets: Secrets
  /** absent: mails are kept and can be read in the console */
  smtpUrl?: string
  /** sender address */
  from: string
}

/** Mails through a table: stored with the change that caused them, sent by a job, tried again, visible in the console. */
export class Mailer implements AsyncDisposable {
  readonly #options: MailerOptions
  readonly #transport: Transporter | undefined

  constructor(options: MailerOptions) {
    this.#options = options
    if (options.smtpUrl) {
      const timeouts = {
        connectionTimeout: sendTimeoutMs,
        socketTimeout: sendTimeoutMs,
        greetingTimeout: sendTimeoutMs,
      }
      const url = new URL(options.smtpUrl)
      this.#transport = createTransport({
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
        secure: url.protocol === 'smtps:',
        ...(url.username
          ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
          : {}),
        ...timeouts,
      })
    }
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
    const id = await insertMail(tx, {
      ...mail,
      recipients: mail.recipients.slice(0, recipientsMax),
      subject: mail.subject.replace(/[\r\n]+/g, ' ').slice(0, subjectLengthMax),
      body: mail.body.slice(0, bodyLengthMax),
      secret: mail.secret === undefined ? null : this.#options.secrets.seal(mail.secret, secretPurpose),
      status: this.#transport ? 'queued' : 'kept',
      at: this.#options.clock.now(),
    })
    if (this.#transport) await this.#options.jobs.send(tx, queue, { mailId: id })
    return id
  }

  /** The text as its recipient sees it. */
  fullText({ body, secret }: { body: string; secret: string | null }): string {
    return secret === null
      ? body
      : body.replaceAll(secretPlace, () => this.#options.secrets.open(secret, secretPurpose))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#transport?.close()
  }

  async #send(mailId: number, retry: number): Promise<void> {
    const { db, clock, from, log } = this.#options
    const mail = await readMail(db, mailId)
    if (!mail || mail.status === 'sent') return
    try {
      await this.#transport?.sendMail({
        from,
        to: mail.recipients,
        subject: mail.subject,
        text: this.fullText(mail),
        // The same mail after a crash carries the same id, so that the receiver can drop the second one.
        messageId: `<${mail.id}.${mail.created_at.getTime()}@leitstand>`,
        headers: { 'auto-submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      await setSent(db, mailId, clock.now())
    } catch (error) {
      const last = retry >= retries
      await setFailed(db, mailId, last ? 'failed' : 'queued', messageOf(error))
      if (last) log.error({ mailId, err: error }, 'mail given up')
      else throw error
    }
  }
}
