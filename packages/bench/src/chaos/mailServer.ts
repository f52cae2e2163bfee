import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** A mail server that counts what it was given. */
export interface MailServer extends AsyncDisposable {
  /** for the configuration of the platform */
  url: string
  /** how often each mail was delivered, by its Message-ID */
  delivered: ReadonlyMap<string, number>
}

/** Before it answers: long enough that some faults come between a delivery and its answer. */
const answerMs = 150

/** Starts it on a free port. */
export async function openMailServer(host = '127.0.0.1'): Promise<MailServer> {
  const delivered = new Map<string, number>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const id = /^message-id: <(.+)>/im.exec(Buffer.concat(chunks).toString('utf8'))?.[1]
        if (id === undefined) return done(new Error('a mail without a Message-ID'))
        delivered.set(id, (delivered.get(id) ?? 0) + 1)
        delay(answerMs).then(() => done(), done)
      })
    },
  })
  // Connections end with the processes that are killed.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://${host}:${port}`,
    delivered,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
