import { connect, type Socket } from 'node:net'
import { postRequest, readReply } from './httpReply.ts'
import type { Lane, Sent } from './lane.ts'

/** Target of a lane. */
export interface HttpTarget {
  port: number
  /** e.g. `/api/hooks/key` */
  path: string
}

/** A keep-alive HTTP connection with one request in flight. Written for the generator, like the MQTT lane. */
export class HttpLane implements Lane {
  readonly window = 1
  readonly #target: HttpTarget
  readonly #socket: Socket
  #rest: Buffer = Buffer.alloc(0)
  #answer: ((stored: boolean) => void) | undefined

  private constructor(target: HttpTarget, socket: Socket) {
    this.#target = target
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.once('close', () => this.#settle(false))
  }

  /** @throws when the connection is refused */
  static async open(target: HttpTarget): Promise<HttpLane> {
    const socket = connect({ host: '127.0.0.1', port: target.port, noDelay: true })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      // The handler stays: later errors are followed by `close`, which settles the request in flight.
      socket.on('error', reject)
    })
    return new HttpLane(target, socket)
  }

  send({ body }: Sent): Promise<boolean> {
    if (this.#answer) throw new Error('a connection has one request on the way at a time')
    if (this.#socket.destroyed) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#socket.write(postRequest(this.#target.path, this.#target.port, body))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    try {
      const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
      const reply = readReply(bytes)
      this.#rest = reply === null ? bytes : bytes.subarray(reply.length)
      if (reply !== null) this.#settle(reply.status === 200)
    } catch (error) {
      this.#socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #settle(stored: boolean): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.(stored)
  }
}
