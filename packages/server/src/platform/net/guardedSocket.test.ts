import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { guardedSocket } from './guardedSocket.ts'
import { Outgoing } from './outgoing.ts'

let server: ReturnType<typeof createServer>
let port: number
let connections = 0
beforeEach(async () => {
  connections = 0
  server = createServer((socket) => {
    connections++
    socket.end('hello')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  server.close()
  await once(server, 'close')
})

const errorOf = async (
  outgoing: Outgoing,
  host: string,
  tls: { rejectUnauthorized: boolean } | null = null,
) => {
  const [error] = await once(guardedSocket(outgoing, { host, port }, tls), 'error')
  return error as unknown
}

test.each(['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::ffff:127.0.0.1', '169.254.169.254'])(
  '%s is closed as long as the operator does not open it, with and without TLS',
  async (host) => {
    const forbidden = { code: 'OUTGOING_ADDRESS_FORBIDDEN' }
    expect(await errorOf(new Outgoing([]), host)).toMatchObject(forbidden)
    expect(await errorOf(new Outgoing([]), host, { rejectUnauthorized: false })).toMatchObject(forbidden)
    expect(connections).toBe(0)
  },
)

test('what the operator opens is reached, by address and by name', async () => {
  const open = new Outgoing(['127.0.0.0/8', '::1'])
  for (const host of ['127.0.0.1', 'localhost']) {
    const [greeting] = await once(guardedSocket(open, { host, port }, null), 'data')
    expect(String(greeting)).toBe('hello')
  }
  expect(await errorOf(open, 'broker.invalid')).toMatchObject({ code: 'OUTGOING_HOST_UNKNOWN' })
})
