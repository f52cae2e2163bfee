import type { Brands, Presence } from '../brands.ts'
import type { Clock } from '../clock.ts'
import type { Db, Executor } from '../db/index.ts'
import { AppError, messageOf } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { JobFailure, Jobs } from '../jobs/index.ts'
import type { Logger } from '../log.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Secrets } from '../secrets.ts'
import { escaped, htmlOf, withPictures } from './html.ts'
import { findServer, findServers, opened, type StoredServer, serverOf } from './servers.ts'
import {
  attachmentsOf,
  deleteOldMails,
  doubtOf,
  findQueued,
  insertMail,
  type MailState,
  noteFailed,
  noteHandedOver,
  noteSeen,
  readMail,
  readOutcomes,
  setGivenUp,
  setKept,
  setSent,
  storePictures,
} from './store.ts'
import { languagesOf, type MailKind, type TemplateText, type Values } from './templates/kind.ts'
import { faultsOf } from './templates/parse.ts'
import { type Rendered, render, secretPlace } from './templates/render.ts'
import { findTemplates } from './templates/store.ts'
import type { Language } from './text.ts'
import { type Attachment, deliver, isRefusal, type Letter, type MailServer, refusalOf } from './transport.ts'

export { doubtOf, secretPlace }

/** The retention of mails; registered by `src/objects.ts`. */
export const mailRetention = {
  table: 'mails',
  time: 'created_at',
  kept: 'values',
  deleteOld: deleteOldMails,
} as const

export interface NewMail {
  accountId: number | null
  recipients: readonly string[]
  subject: string
  /** plain text; `{secret}` is replaced by `secret` */
  body: string
  /** the same as HTML, everything in it escaped by the sender; absent: made from `body` when it is sent */
  html?: string
  /**
   * text for the recipient only, such as a link that sets a password; stored encrypted, and makes the mail
   * confidential
   */
  secret?: string
  /**
   * The user a confidential mail is for. It is only sent through the mail server of an account if that
   * account's administrators, who can read what their server sends, have all rights of this user; without an
   * addressee it is only sent through the server of the installation.
   */
  addresseeId?: number
  /** what it is about, e.g. `{ ruleId: 12 }` */
  origin?: Record<string, unknown>
  /** address for replies; absent: the sender */
  replyTo?: string
  /** URL that mail programs call to unsubscribe, see RFC 8058 */
  unsubscribeUrl?: string
  attachments?: readonly Attachment[]
  /** charts to draw when it is sent */
  charts?: readonly ChartRequest[]
}

/** A mail in the words of the template that the account has for its kind. */
export interface TemplatedMail<Name extends string>
  extends Omit<NewMail, 'accountId' | 'subject' | 'body' | 'html'> {
  accountId: number
  /** of the reader; kinds with one text for all ignore it */
  language: Language
  values: Values<Name>
  /** text of the platform that no template removes, below it; starts with its line breaks */
  below?: string
}

/**
 * Finds what a kind of mail would say about the newest thing of an account that the caller may see, e.g. its newest alarm;
 * null: there is none.
 */
export type FindSample = (
  db: Executor,
  of: { caller: Caller; accountId: number; language: Language },
) => Promise<Values<string> | null>

/** A chart of a state in a mail; times in ISO 8601. */
export interface ChartRequest {
  stateId: number
  from: string
  to: string
}

/** The picture of a chart. */
export interface MailPicture {
  title: string
  /** media type */
  type: string
  bytes: Buffer
}

/** Draws a chart; null: there is nothing to draw. */
export type DrawChart = (chart: ChartRequest) => Promise<MailPicture | null>

/** Whether the administrators of an account have all rights that a user has anywhere. */
export type MayRead = (db: Executor, accountId: number, userId: number) => Promise<boolean>

const queue = 'mail.send'
const lostQueue = 'mail.giveUpLost'
const lostPage = 1000
const recipientsMax = 50
const subjectLengthMax = 200
const bodyLengthMax = 100_000
const secretPurpose = 'mail'
const sendTimeoutMs = 30_000
/** A user waits for the result. */
const testTimeoutMs = 8000
/** With the delay doubling from 30 s the last attempt comes after about two hours. */
const retries = 8
const retryDelaySeconds = 30

interface MailerOptions {
  db: Db
  jobs: Jobs
  clock: Clock
  log: Logger
  secrets: Secrets
  outgoing: Outgoing
  /** the name and host in what the platform's own server sends */
  brands: Brands
  /** absent: mails of accounts without a mail server are kept and can be read in the console */
  smtpUrl?: string
  /** sender address */
  from: string
  /** of the installation; under a brand, links to it lead to the brand's domain */
  publicUrl: string
}

/** A server and the guard for its address: servers that users configure are guarded. */
type Route = { server: MailServer; guard?: Outgoing; accountId: number | null }

/** The properties that decide through which server a mail is sent. */
interface Routed {
  accountId: number | null
  confidential: boolean
  addresseeId: number | null
}

/**
 * Mails through a table: stored with the change that caused them, sent by a job, retried, visible in the
 * console. Mails of an account are sent through its own mail server or the nearest above it, else through the
 * configured one.
 */
export class Mailer {
  readonly #options: MailerOptions
  readonly #platform: MailServer | undefined
  readonly #publicUrl: string
  readonly #kinds = new Map<string, MailKind>()
  readonly #samples = new Map<string, FindSample>()
  /** Until `guardWith` is called, nothing confidential is sent through servers of accounts. */
  #mayRead: MayRead = async () => false
  #draw: DrawChart = async () => null

  constructor(options: MailerOptions) {
    this.#options = options
    this.#publicUrl = options.publicUrl.replace(/\/+$/, '')
    this.#platform = options.smtpUrl === undefined ? undefined : serverOf(options.smtpUrl, options.from)
    options.jobs.work<{ mailId: number }>(queue, ({ mailId }) => this.#send(mailId), {
      retries,
      retryDelaySeconds,
      timeoutSeconds: 120,
      concurrency: 2,
      batch: 5,
      givenUp: ({ mailId }, failure) => this.#giveUp([mailId], failure),
    })
    options.jobs.work(lostQueue, () => this.#giveUpLost(), { pollSeconds: 60 })
    options.jobs.schedule(lostQueue, '17 3 * * *')
  }

  /**
   * Stores a mail in the caller's transaction; it is sent after the commit.
   * @returns the id of the mail
   */
  async send(tx: Executor, mail: NewMail): Promise<number> {
    return this.#store(tx, mail, await this.#options.brands.of(tx, mail.accountId))
  }

  async #store(tx: Executor, given: NewMail, presence: Presence): Promise<number> {
    const mail = await this.#branded(tx, given, presence)
    const confidential = mail.secret !== undefined || mail.addresseeId !== undefined
    const routed = { accountId: mail.accountId, confidential, addresseeId: mail.addresseeId ?? null }
    const leaves = this.#platform !== undefined || (await this.#serverFor(tx, routed)) !== undefined
    const id = await insertMail(tx, {
      ...mail,
      recipients: mail.recipients.slice(0, recipientsMax),
      subject: mail.subject.replace(/[\r\n]+/g, ' ').slice(0, subjectLengthMax),
      body: mail.body.slice(0, bodyLengthMax),
      secret: mail.secret === undefined ? null : this.#options.secrets.seal(mail.secret, secretPurpose),
      confidential,
      status: leaves ? 'queued' : 'kept',
      at: this.#options.clock.now(),
    })
    if (leaves) await this.#options.jobs.send(tx, queue, { mailId: id })
    return id
  }

  /** Makes kinds of mails known, so that accounts can word them. */
  register(kinds: readonly MailKind[]): void {
    for (const kind of kinds) {
      if (this.#kinds.has(kind.id)) throw new Error(`two kinds of mails are called ${kind.id}`)
      this.#kinds.set(kind.id, kind)
    }
  }

  /** Sets what previews of a kind show instead of examples. */
  sampleWith(kind: Pick<MailKind, 'id'>, find: FindSample): void {
    this.#samples.set(kind.id, find)
  }

  /** What a mail of a kind would say about the newest thing of an account; null: there is none, or none is looked for. */
  async sampleOf(
    db: Executor,
    kind: Pick<MailKind, 'id'>,
    of: Parameters<FindSample>[1],
  ): Promise<Values<string> | null> {
    return (await this.#samples.get(kind.id)?.(db, of)) ?? null
  }

  /** All kinds of mails, in the order of their features. */
  get kinds(): readonly MailKind[] {
    return [...this.#kinds.values()]
  }

  /** @returns undefined: there is no such kind */
  kind(id: string): MailKind | undefined {
    return this.#kinds.get(id)
  }

  /**
   * Stores a mail of a kind, see `send`; the words are those of the nearest account with a template.
   * @returns the id of the mail
   */
  async write<Name extends string>(
    tx: Executor,
    kind: MailKind<Name>,
    { language, values, below, ...mail }: TemplatedMail<Name>,
  ): Promise<number> {
    if (!this.#kinds.has(kind.id)) throw new Error(`the kind ${kind.id} of mails is not registered`)
    const presence = await this.#options.brands.of(tx, mail.accountId)
    const texts = await this.#wordsOf(tx, kind, { ...mail, language })
    const { subject, text, html } = render(kind, texts, { language, values, presence, below })
    return this.#store(tx, { ...mail, subject, body: text, html }, presence)
  }

  /**
   * A mail of a kind in the words that count for an account, without storing it.
   * @param presence under which name it is written
   */
  async render<Name extends string>(
    db: Executor,
    kind: MailKind<Name>,
    { accountId, language, values }: { accountId: number; language: Language; values: Values<Name> },
    presence: Presence,
  ): Promise<Rendered> {
    const texts = await this.#wordsOf(db, kind, { accountId, language })
    const { html, ...rest } = render(kind, texts, { language, values, presence })
    return { ...rest, html: withPictures(html, []) }
  }

  /** How a mail of a kind looks in the words given, for an account. */
  async preview(
    db: Executor,
    kind: MailKind,
    texts: TemplateText,
    { accountId, language, values }: { accountId: number; language: Language; values: Values<string> },
  ): Promise<Rendered> {
    return render(kind, texts, { language, values, presence: await this.#options.brands.of(db, accountId) })
  }

  /**
   * The nearest template, from the account upwards; else the delivered text. Who words a confidential mail could mislead
   * its reader, so a template only counts there if its administrators have all rights of the reader anyway.
   */
  async #wordsOf(
    tx: Executor,
    kind: MailKind,
    { accountId, language, addresseeId }: { accountId: number; language: Language; addresseeId?: number },
  ): Promise<TemplateText> {
    const spoken = languagesOf(kind).includes(language) ? language : 'de'
    for (const found of await findTemplates(tx, accountId, kind.id, spoken)) {
      if (kind.toStrangers && !found.isTop) continue
      // It may be older than what is asked of templates now.
      if (faultsOf(kind, found).length > 0) continue
      if (addresseeId === undefined || (await this.#mayRead(tx, found.accountId, addresseeId))) return found
    }
    return kind.texts[spoken]
  }

  /**
   * A mail whose links to the console lead to the domain of the account's brand. Who controls that domain can
   * read what is sent to it, so the link of a confidential mail only leads there if they have all rights of its
   * user anyway.
   */
  async #branded(tx: Executor, mail: NewMail, { accountId, publicUrl }: Presence): Promise<NewMail> {
    if (accountId === null || publicUrl === this.#publicUrl) return mail
    const { addresseeId } = mail
    const mayKnow =
      mail.secret === undefined ||
      (addresseeId !== undefined && (await this.#mayRead(tx, accountId, addresseeId)))
    const moved = (text: string) => text.replaceAll(`${this.#publicUrl}/`, () => `${publicUrl}/`)
    const { body, html, secret, unsubscribeUrl } = mail
    return {
      ...mail,
      body: moved(body),
      ...(html === undefined ? {} : { html: moved(html) }),
      ...(secret === undefined ? {} : { secret: mayKnow ? moved(secret) : secret }),
      ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl: moved(unsubscribeUrl) }),
    }
  }

  /**
   * Sets the check of whether confidential mails to a user may be sent through the mail server of an account.
   */
  guardWith(mayRead: MayRead): void {
    this.#mayRead = mayRead
  }

  /** Sets how charts are drawn; before, mails have none. */
  drawWith(draw: DrawChart): void {
    this.#draw = draw
  }

  /** Whether there is a mail server for an account. Confidential mails may have none nonetheless. */
  async hasServer(db: Executor, accountId: number | null): Promise<boolean> {
    return this.#platform !== undefined || (await findServer(db, accountId)) !== undefined
  }

  /**
   * What became of mails, by id; those deleted because of their age are missing.
   * @param mayRead accounts whose mails the caller may read
   */
  outcomesOf(
    db: Executor,
    ids: readonly number[],
    mayRead: readonly number[],
  ): Promise<Map<number, MailState>> {
    return readOutcomes(db, ids, mayRead)
  }

  /** Sender of mails sent through the configured server; undefined without one. */
  get platformSender(): string | undefined {
    return this.#platform === undefined ? undefined : this.#options.from
  }

  /**
   * Sends a mail at once, without storing it, to test a server.
   * @param server absent: the server used for the account
   * @returns the server's reply, and which server it was
   * @throws AppError MAIL_NO_SERVER, MAIL_TRANSPORT_INVALID, MAIL_NO_SENDER, OUTGOING_HOST_UNKNOWN,
   * OUTGOING_ADDRESS_FORBIDDEN
   */
  async probe(
    accountId: number,
    letter: Omit<Letter, 'messageId'>,
    server?: MailServer,
  ): Promise<{ host: string; port: number; reply: string }> {
    const { db, outgoing, brands, clock } = this.#options
    const plain = { accountId, confidential: false, addresseeId: null }
    const route: Route | undefined = server
      ? { server, guard: outgoing, accountId }
      : await this.#routeOf(db, plain)
    if (route === undefined) throw new AppError('MAIL_NO_SERVER')
    const { host, port } = route.server
    const presence = await brands.of(db, accountId)
    const messageId = `test.${accountId}.${clock.now().getTime()}@${hostOf(presence)}`
    try {
      const { reply } = await deliver(
        route.accountId === null ? sentBy(presence, route.server) : route.server,
        { ...letter, messageId },
        testTimeoutMs,
        route.guard ? { guard: route.guard } : {},
      )
      return { host, port, reply }
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** The HTML as its recipient sees it, and as mails were stored before they had one. */
  #htmlFor(
    { html, secret }: { html: string | null; secret: string | null },
    text: string,
    shown: readonly { cid: string; title: string }[],
  ): string {
    if (html === null) return htmlOf(text, shown)
    const address = secret === null ? secretPlace : escaped(this.#options.secrets.open(secret, secretPurpose))
    return withPictures(html, shown).replaceAll(secretPlace, () => address)
  }

  /** The text as its recipient sees it. */
  fullText({ body, secret }: { body: string; secret: string | null }): string {
    return secret === null
      ? body
      : body.replaceAll(secretPlace, () => this.#options.secrets.open(secret, secretPurpose))
  }

  async #routeOf(db: Executor, mail: Routed): Promise<Route | undefined> {
    const { secrets, outgoing } = this.#options
    const stored = await this.#serverFor(db, mail)
    if (stored) return { server: opened(stored, secrets), guard: outgoing, accountId: stored.accountId }
    return this.#platform && { server: this.#platform, accountId: null }
  }

  /** The nearest server, from the account upwards, that may send the mail. */
  async #serverFor(db: Executor, mail: Routed): Promise<StoredServer | undefined> {
    const { accountId, confidential, addresseeId } = mail
    if (!confidential) return findServer(db, accountId)
    if (addresseeId === null) return undefined
    for (const server of await findServers(db, accountId))
      if (await this.#mayRead(db, server.accountId, addresseeId)) return server
    return undefined
  }

  async #send(mailId: number): Promise<void> {
    const { db, brands, clock } = this.#options
    const mail = await readMail(db, mailId)
    if (!mail || mail.status === 'sent' || mail.status === 'kept') return
    let isHandedOver = false
    try {
      const { account_id: accountId, confidential, addressee_id: addresseeId } = mail
      // Decided now, not when it was written: servers and rights may have changed since.
      const route = await this.#routeOf(db, { accountId, confidential, addresseeId })
      // The server has been removed since.
      if (route === undefined) return await setKept(db, mailId)
      const presence = await brands.of(db, accountId)
      const host = hostOf(presence)
      // Recorded before the server sees the mail, as it may keep a copy even if it rejects it.
      if (route.accountId !== null) await noteSeen(db, mailId, route.accountId)
      await this.#drawCharts(mailId, mail.charts ?? [])
      const attachments = (await attachmentsOf(db, mailId)).map(({ id, inline, ...file }) =>
        inline ? { ...file, cid: `${id}.${mailId}@${host}` } : file,
      )
      const text = this.fullText(mail)
      const shown = attachments.flatMap(({ cid, name }) => (cid ? [{ cid, title: titleOf(name) }] : []))
      const letter = {
        recipients: mail.recipients,
        subject: mail.subject,
        text,
        html: this.#htmlFor(mail, text, shown),
        ...(mail.reply_to === null ? {} : { replyTo: mail.reply_to }),
        ...(mail.unsubscribe_url === null ? {} : { unsubscribeUrl: mail.unsubscribe_url }),
        attachments,
        // A mail resent after a crash has the same id, so that the receiver can drop the duplicate.
        messageId: `${mail.id}.${mail.created_at.getTime()}@${host}`,
      }
      const handOver = async () => {
        await noteHandedOver(db, mailId, clock.now())
        isHandedOver = true
      }
      const server = route.accountId === null ? sentBy(presence, route.server) : route.server
      const { refused } = await deliver(server, letter, sendTimeoutMs, {
        ...(route.guard ? { guard: route.guard } : {}),
        handOver,
      })
      await setSent(db, mailId, clock.now(), refused)
    } catch (error) {
      await noteFailed(db, mailId, {
        error: messageOf(error),
        isAnswered: isHandedOver && isRefusal(error),
      })
      throw error
    }
  }

  /** @param failure of the last attempt; null: it did not end */
  async #giveUp(mailIds: readonly number[], failure: JobFailure | null): Promise<void> {
    const { db, log } = this.#options
    for (const mailId of await setGivenUp(db, mailIds, failure?.message ?? null))
      log.error({ mailId, failure }, 'mail given up')
  }

  /**
   * Gives up mails that are queued although no job for them is left: older versions lost the job when the process died during its
   * last attempt, and pg-boss deletes jobs that nothing has taken for two weeks.
   *
   * Safe on any node and at any time because the mails are read before the jobs: a mail is committed with its job, so that the job
   * of a mail that is read is there for the second read too unless it has ended, and then the mail is not queued any more, which
   * the update checks. A mail of a transaction that is open is not read.
   */
  async #giveUpLost(): Promise<void> {
    const { db, jobs } = this.#options
    for (let after = 0; ; ) {
      const queued = await findQueued(db, after, lostPage)
      const lost = await jobs.withoutJob(
        queue,
        queued.map((mailId) => ({ mailId })),
      )
      await this.#giveUp(
        lost.map(({ mailId }) => mailId),
        null,
      )
      const last = queued.at(-1)
      if (last === undefined || queued.length < lostPage) return
      after = last
    }
  }

  /** A mail without a chart that cannot be drawn is better than none. */
  async #drawCharts(mailId: number, charts: readonly ChartRequest[]): Promise<void> {
    if (charts.length === 0) return
    const { db, log } = this.#options
    const pictures: Attachment[] = []
    for (const chart of charts) {
      try {
        const picture = await this.#draw(chart)
        if (picture)
          pictures.push({ name: fileName(picture.title), type: picture.type, bytes: picture.bytes })
      } catch (error) {
        log.error({ mailId, stateId: chart.stateId, err: error }, 'the chart of a mail could not be drawn')
      }
    }
    await storePictures(db, mailId, pictures)
  }
}

/** The host in the ids of mails; without a brand it says only what sent them. */
function hostOf({ accountId, publicUrl }: Presence): string {
  return accountId !== null ? new URL(publicUrl).hostname : 'leitstand'
}

/** The server of the installation, with the name of a brand as the sender. */
function sentBy({ accountId, name }: Presence, server: MailServer): MailServer {
  if (accountId === null) return server
  const { sender } = server
  const address = typeof sender === 'string' ? (/<([^<>]+)>\s*$/.exec(sender)?.[1] ?? sender) : sender.address
  return { ...server, sender: { name: name.de, address } }
}

/** Names of pictures are titles of things; their file names are without what programs do not take. */
function fileName(title: string): string {
  return `${
    title
      .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 80) || 'chart'
  }.png`
}

function titleOf(name: string): string {
  return name.replace(/\.png$/, '')
}
