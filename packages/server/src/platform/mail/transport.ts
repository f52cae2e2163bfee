import { PassThrough } from 'node:stream'
import { createTransport } from 'nodemailer'
import { AppError, messageOf } from '../errors.ts'
import type { Outgoing } from '../net/outgoing.ts'
import { connectLimited } from './limited.ts'

/** A mail server and how to send mails through it. */
export interface MailServer {
  host: string
  port: number
  /** `auto`: STARTTLS where the server offers it */
  security: 'none' | 'starttls' | 'tls' | 'auto'
  /** empty: no authentication */
  user: string
  password: string
  /** the From header, e.g. `{ name: 'Stadtwerke', address: 'iot@stadt.example' }` */
  sender: string | { name: string; address: string }
}

export interface Attachment {
  name: string
  /** media type */
  type: string
  bytes: Buffer
  /** shown in the text, by this Content-ID */
  cid?: string
}

export interface Letter {
  recipients: readonly string[]
  subject: string
  text: string
  html?: string
  /** without angle brackets */
  messageId: string
  /** address for replies; absent: the sender */
  replyTo?: string
  /** URL that mail programs call to unsubscribe */
  unsubscribeUrl?: string
  attachments?: readonly Attachment[]
}

/** A recipient that the mail server refused, with its reply. */
export interface RefusedRecipient {
  address: string
  reason: string
}

/** The step at which a server rejected a mail. */
type MailStep = 'connect' | 'tls' | 'signIn' | 'sender' | 'recipient' | 'message'

const replyLengthMax = 500
/** What a server may send while it takes a mail, certificates included. */
const replyBytesMax = 65_536
const replyBytesPerRecipient = 1_024

interface Delivery {
  /** set for servers that users have configured: restricts their addresses */
  guard?: Outgoing
  /** called before the server gets the end of the content, without which it delivers nothing; awaited */
  handOver?: () => Promise<void>
}

/**
 * Sends a mail through a server.
 * @param timeoutMs for the connection, the greeting and each reply
 * @returns the server's last reply, and the recipients it refused while it took the mail for others
 * @throws AppError OUTGOING_HOST_UNKNOWN, OUTGOING_ADDRESS_FORBIDDEN; otherwise nodemailer's error, see
 * `refusalOf`
 */
export async function deliver(
  server: MailServer,
  letter: Letter,
  timeoutMs: number,
  { guard, handOver }: Delivery = {},
): Promise<{ reply: string; refused: RefusedRecipient[] }> {
  const { host, port, security, user, password } = server
  // Connect to the address that was checked: the name may resolve to another one a moment later.
  const address = guard ? await guard.addressOf(host) : host
  const transport = createTransport({
    host: address,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(address === host ? {} : { tls: { servername: host } }),
    ...(user === '' ? {} : { auth: { user, pass: password } }),
    connectionTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    getSocket: (_options, done) => {
      const bytesMax = replyBytesMax + letter.recipients.length * replyBytesPerRecipient
      connectLimited({ host: address, port }, { bytesMax, timeoutMs }).then(
        (connection) => done(null, { connection }),
        (error: Error) => done(error),
      )
    },
  })
  if (handOver) {
    const atEnd = () =>
      new PassThrough({
        flush: (done) =>
          handOver().then(
            () => done(),
            (error: Error) => done(error),
          ),
      })
    transport.use('stream', (mail, done) => {
      mail.message.transform(atEnd)
      done()
    })
  }
  try {
    const sent = await transport.sendMail({
      from: server.sender,
      to: [...letter.recipients],
      subject: letter.subject,
      text: letter.text,
      ...(letter.html === undefined ? {} : { html: letter.html }),
      messageId: `<${letter.messageId}>`,
      ...(letter.replyTo === undefined ? {} : { replyTo: letter.replyTo }),
      attachments: (letter.attachments ?? []).map(({ name, type, bytes, cid }) => ({
        filename: name,
        contentType: type,
        content: bytes,
        ...(cid === undefined ? {} : { cid, contentDisposition: 'inline' as const }),
      })),
      headers: { 'auto-submitted': 'auto-generated', ...unsubscribeHeaders(letter.unsubscribeUrl) },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return {
      reply: String(sent.response).slice(0, replyLengthMax),
      refused: refusedOf(sent, letter.recipients),
    }
  } finally {
    transport.close()
  }
}

/** A mail counts as sent once the server has accepted one recipient. */
function refusedOf(
  sent: {
    rejected?: readonly unknown[] | undefined
    rejectedErrors?: readonly { recipient?: unknown; response?: unknown; message?: unknown }[] | undefined
  },
  recipients: readonly string[],
): RefusedRecipient[] {
  return (sent.rejected ?? []).map((address) => {
    const error = sent.rejectedErrors?.find(({ recipient }) => recipient === address)
    // The library writes domains in lower case.
    const given = recipients.find((each) => each.toLowerCase() === String(address).toLowerCase())
    return {
      address: given ?? String(address),
      reason: String(error?.response ?? error?.message ?? '').slice(0, replyLengthMax),
    }
  })
}

/** One-click unsubscribe, without a page in between (RFC 8058). */
function unsubscribeHeaders(url: string | undefined): Record<string, string> {
  if (url === undefined) return {}
  return { 'list-unsubscribe': `<${url}>`, 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' }
}

interface SmtpFault {
  code?: unknown
  command?: unknown
  response?: unknown
}

/** Whether the server has said no, so that the mail was not delivered. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
}

/** Why a mail was rejected, with the server's own text where there is one. */
export function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  const fault: SmtpFault = typeof error === 'object' && error !== null ? error : {}
  const step = stepOf(fault, messageOf(error))
  const reply = (typeof fault.response === 'string' ? fault.response : messageOf(error)).slice(
    0,
    replyLengthMax,
  )
  if (step === 'sender') return new AppError('MAIL_NO_SENDER', { step, reply })
  return new AppError('MAIL_TRANSPORT_INVALID', { step, reply })
}

/** A rejected certificate is reported as a socket error; only its text shows the cause. */
const aboutTls = /certificate|\b(tls|ssl)\b/i

function stepOf({ code, command, response }: SmtpFault, text: string): MailStep {
  const said = typeof command === 'string' ? command : ''
  if (code === 'ETLS' || said === 'STARTTLS') return 'tls'
  if (code === 'EAUTH' || code === 'ENOAUTH' || said.startsWith('AUTH')) return 'signIn'
  if (said === 'MAIL FROM') return 'sender'
  if (said === 'RCPT TO') return 'recipient'
  if (said === 'DATA') return 'message'
  return typeof response !== 'string' && aboutTls.test(text) ? 'tls' : 'connect'
}
