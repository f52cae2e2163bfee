import type { AddressInfo, Socket } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A real SMTP server on a free port that stores received mails. */
export interface TestSmtp extends AsyncDisposable {
  /** for the configuration */
  url: string
  port: number
  received: Email[]
  /** Rejects the next mails with this reply; undefined accepts again. */
  refuse(text: string | undefined): void
  /** Takes the content of the next mail and then ends the connection instead of answering. */
  hangUpOnce(): void
}

interface TestSmtpOptions {
  /** required credentials */
  auth?: { user: string; password: string }
  /** rejected sender */
  refusedSender?: string
  /** recipient rejected while others are accepted */
  refusedRecipient?: string
  /** offers STARTTLS with a self-signed certificate */
  selfSigned?: boolean
}

export async function startSmtp(options: TestSmtpOptions = {}): Promise<TestSmtp> {
  const received: Email[] = []
  let refusal: string | undefined
  let hangsUp = false
  const sockets = new Set<Socket>()
  const server = new SMTPServer({
    authOptional: options.auth === undefined,
    allowInsecureAuth: true,
    disabledCommands: options.selfSigned ? [] : ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      const { user, password: expected } = options.auth ?? {}
      if (username === user && password === expected) done(null, { user })
      else done(new Error('no such user here'))
    },
    onMailFrom({ address }, _session, done) {
      if (address !== options.refusedSender) done()
      else done(Object.assign(new Error('we do not relay for you'), { responseCode: 553 }))
    },
    onRcptTo({ address }, _session, done) {
      if (address !== options.refusedRecipient) done()
      else done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusal) {
          done(Object.assign(new Error(refusal), { responseCode: 451 }))
          return
        }
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          received.push(mail)
          if (!hangsUp) return done()
          hangsUp = false
          for (const socket of sockets) socket.destroy()
        }, done)
      })
    },
  })
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    refuse: (text) => {
      refusal = text
    },
    hangUpOnce: () => {
      hangsUp = true
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
