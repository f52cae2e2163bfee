import { createTransport } from 'nodemailer'
import { AppError, messageOf } from '../errors.ts'
import type { Outgoing } from '../net/outgoing.ts'

/** A mail server and how mails leave through it. */
export interface MailServer {
  host: string
  port: number
  /** `auto`: STARTTLS where the server offers it */
  security: 'none' | 'starttls' | 'tls' | 'auto'
  /** empty: without signing in */
  user: string
  password: string
  /** as it stands in the header, e.g. `{ name: 'Stadtwerke', address: 'iot@stadt.example' }` */
  sender: string | { name: string; address: string }
}

export interface Attachment {
  name: string
  /** media type */
  type: string
  bytes: Buffer
}

export interface Letter {
  recipients: readonly string[]
  subject: string
  text: string
  /** without angle brackets */
  messageId: string
  /** who gets the answer; absent: the sender */
  replyTo?: string
  /** what mail programs call to stop mails like this one */
  unsubscribeUrl?: string
  attachments?: readonly Attachment[]
}

/** How far a server let us come that did not take a mail. */
type MailStep = 'connect' | 'tls' | 'signIn' | 'sender' | 'recipient' | 'message'

const replyLengthMax = 500

/**
 * Hands a mail to a server.
 * @param guard set for servers that users have named: where they may be
 * @param timeoutMs for the connection, the greeting and each answer
 * @returns what the server said last
 * @throws AppError OUTGOING_HOST_UNKNOWN, OUTGOING_ADDRESS_FORBIDDEN; else what nodemailer says, see `refusalOf`
 */
export async function deliver(
  server: MailServer,
  letter: Letter,
  timeoutMs: number,
  guard?: Outgoing,
): Promise<string> {
  const { host, port, security, user, password } = server
  // Connecting to the address that has been looked at: the name may mean another one a moment later.
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
  })
  try {
    const sent = await transport.sendMail({
      from: server.sender,
      to: [...letter.recipients],
      subject: letter.subject,
      text: letter.text,
      messageId: `<${letter.messageId}>`,
      ...(letter.replyTo === undefined ? {} : { replyTo: letter.replyTo }),
      attachments: (letter.attachments ?? []).map(({ name, type, bytes }) => ({
        filename: name,
        contentType: type,
        content: bytes,
      })),
      headers: { 'auto-submitted': 'auto-generated', ...unsubscribeHeaders(letter.unsubscribeUrl) },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return String(sent.response).slice(0, replyLengthMax)
  } finally {
    transport.close()
  }
}

/** One click, without a page in between (RFC 8058). */
function unsubscribeHeaders(url: string | undefined): Record<string, string> {
  if (url === undefined) return {}
  return { 'list-unsubscribe': `<${url}>`, 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' }
}

interface SmtpFault {
  code?: unknown
  command?: unknown
  response?: unknown
}

/** Why a mail was not taken, in the words of the server where it said something. */
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

/** A certificate that is refused comes as a fault of the socket; only its text tells. */
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
