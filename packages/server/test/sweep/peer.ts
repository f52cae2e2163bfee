/**
 * A hostile peer in a thread of its own, so that its computation does not count as the server's: connects to
 * a port, or listens and waits for a connection, then sends bytes as fast as they are taken.
 */
import { connect, createServer, type Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'

/** What to send, each after the other side has answered the one before. */
export interface Script {
  /** null: listens, and reports the port */
  port: number | null
  chunks: Buffer[]
  /** ends the conversation when it is received; the connection may also be closed before */
  until: Buffer | null
}

export interface Talk {
  /** how the conversation ended */
  ended: 'answered' | 'closed'
}

parentPort?.on('message', ({ port, chunks, until }: Script) => {
  const talk = (socket: Socket): void => {
    let tail = Buffer.alloc(0)
    let next = 0
    const end = (ended: Talk['ended']): void => {
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      socket.destroy()
      parentPort?.postMessage({ ended } satisfies Talk)
    }
    const send = (): void => {
      const chunk = chunks[next++]
      if (chunk !== undefined) socket.write(chunk)
      // Without an answer to wait for, the end of what is sent is the end.
      if (next >= chunks.length && until === null) socket.end()
    }
    socket.on('data', (bytes: Buffer) => {
      if (next < chunks.length) send()
      if (until === null) return
      tail = Buffer.concat([tail, bytes])
      if (tail.includes(Buffer.from(until))) end('answered')
      tail = tail.subarray(-until.length)
    })
    // The server may close the connection while it is written to.
    socket.on('error', () => undefined)
    socket.once('close', () => end('closed'))
    send()
  }
  if (port !== null) {
    const socket = connect(port, '127.0.0.1', () => talk(socket))
    return
  }
  const server = createServer((socket) => {
    server.close()
    talk(socket)
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    parentPort?.postMessage({ port: typeof address === 'object' ? address?.port : null })
  })
})
