import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * A connection that ends when the other side has sent more than a mail server has to say. nodemailer limits
 * one reply but not their number: it takes millions of empty lines from a queue one by one, for minutes after
 * the connection has ended.
 */
class LimitedSocket extends Duplex {
  readonly #socket: Socket

  constructor(socket: Socket, bytesMax: number) {
    super()
    this.#socket = socket
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > bytesMax) this.destroy(new Error(`The mail server sent more than ${bytesMax} bytes`))
      else if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('timeout', () => this.emit('timeout'))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** As of a socket; nodemailer and TLS call these. */
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
  }

  setKeepAlive(enable: boolean, delayMs: number): this {
    this.#socket.setKeepAlive(enable, delayMs)
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/** @throws the error of the connection, or when it takes longer than `timeoutMs` */
export function connectLimited(
  { host, port }: { host: string; port: number },
  { bytesMax, timeoutMs }: { bytesMax: number; timeoutMs: number },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const timer = setTimeout(() => socket.destroy(new Error('Connection timeout')), timeoutMs)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(timer))
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      // Of a socket nodemailer and TLS need no more than the stream and the methods above.
      resolve(new LimitedSocket(socket, bytesMax) as Duplex as Socket)
    })
  })
}
