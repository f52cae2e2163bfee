import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy between the load and a port of the platform that can cut all connections at once. */
export class Gate implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  readonly #pairs: Set<readonly [Socket, Socket]>

  private constructor(server: Server, port: number, pairs: Set<readonly [Socket, Socket]>) {
    this.#server = server
    this.port = port
    this.#pairs = pairs
  }

  static async open(targetPort: number): Promise<Gate> {
    const pairs = new Set<readonly [Socket, Socket]>()
    const server = createServer({ noDelay: true }, (near) => {
      const far = connect({ host: '127.0.0.1', port: targetPort, noDelay: true })
      const pair = [near, far] as const
      pairs.add(pair)
      near.pipe(far)
      far.pipe(near)
      const [nearEnds, farEnds] = [() => far.destroy(), () => near.destroy()]
      // An error is followed by `close`: the other side then ends as well.
      near.on('error', () => undefined).once('close', nearEnds)
      far
        .on('error', () => undefined)
        .once('close', () => {
          pairs.delete(pair)
          farEnds()
        })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new Gate(server, (server.address() as { port: number }).port, pairs)
  }

  /** Resets every connection, towards the load and towards the platform. @returns how many */
  reset(): number {
    const count = this.#pairs.size
    for (const pair of [...this.#pairs]) for (const socket of pair) socket.resetAndDestroy()
    return count
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.reset()
    await closed
  }
}
