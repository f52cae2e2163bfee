import type { ChildProcess } from 'node:child_process'
import { connect, createServer } from 'node:net'

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('no free port')
  return address.port
}

/** Retries until a connection is accepted or the process has ended. */
export async function accepts(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(socket.destroy() !== null))
      socket.once('error', () => resolve(false))
    })
    if (open) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
