import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { freePort } from './server.ts'

/** A real mail server; `next()` resolves with the next mail that arrives. */
export async function startMailServer() {
  const mails: Email[] = []
  const waiting: ((mail: Email) => void)[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          const next = waiting.shift()
          if (next) next(mail)
          else mails.push(mail)
          done()
        }, done)
      })
    },
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  return {
    url: `smtp://127.0.0.1:${port}`,
    next: (): Promise<Email> => {
      const mail = mails.shift()
      return mail ? Promise.resolve(mail) : new Promise((resolve) => waiting.push(resolve))
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
