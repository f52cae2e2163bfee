import { connect } from 'node:net'

/** One attempt to sign in at the broker. @returns the code of its answer, or `closed` */
export function tryPassword(port: number, packet: Buffer, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    const settle = (answer: string) => {
      signal.removeEventListener('abort', stop)
      socket.destroy()
      resolve(answer)
    }
    const stop = () => settle('stopped')
    signal.addEventListener('abort', stop, { once: true })
    socket.once('connect', () => socket.write(packet))
    socket.once('data', (bytes) => settle(`connack ${bytes[3]}`))
    socket.once('error', () => settle('closed'))
    socket.once('close', () => settle('closed'))
  })
}
