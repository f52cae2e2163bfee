import { createServer, type Server, type Socket } from 'node:net'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fuzzing, rubbishBytes } from '../../../test/fuzz.ts'
import { Outgoing } from '../net/outgoing.ts'
import { type ForeignBroker, ForeignClient, probe } from './client.ts'

const problems: string[] = []
const noteProblem = (error: unknown) => void problems.push(String(error))
let stack = new AsyncDisposableStack()

beforeEach(() => {
  process.on('unhandledRejection', noteProblem)
  process.on('uncaughtException', noteProblem)
})
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
  process.off('unhandledRejection', noteProblem)
  process.off('uncaughtException', noteProblem)
  expect(problems).toEqual([])
})

/** An external broker that sends arbitrary data, whatever it receives. */
async function brokerThat(answer: (socket: Socket) => void): Promise<ForeignBroker> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // the client may disconnect
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as { port: number }
  const login = { username: 'bridge', password: 'secret', clientId: 'fuzz' }
  return { host: '127.0.0.1', port, tls: false, allowSelfSigned: false, ...login, topics: ['city/#'] }
}

const loopback = new Outgoing(['127.0.0.0/8'])

/** Our client, with the messages and states it reported. */
function listen(broker: ForeignBroker) {
  const received: string[] = []
  const states: string[] = []
  const client = new ForeignClient(
    broker,
    {
      receive: async ({ topic, payload }) => void received.push(`${topic} ${payload}`),
      state: (state, message) => states.push(`${state}: ${message}`),
    },
    pino({ level: 'silent' }),
    loopback,
    () => 0,
  )
  stack.use(client)
  return { client, received, states }
}

const welcome = Buffer.from([0x20, 2, 0, 0])
const granted = Buffer.from([0x90, 3, 0, 1, 1])
const publish = (qos: number, body: Uint8Array) => {
  const content = Buffer.concat([
    Buffer.from([0, 6]),
    Buffer.from('city/a'),
    Buffer.from(qos ? [0, 7] : []),
    body,
  ])
  return Buffer.concat([Buffer.from([0x30 | (qos << 1), content.length]), content])
}

test('whatever a foreign broker says, the connection ends or goes on, and nothing else does', async () => {
  const piece = fc.oneof(
    fc.constantFrom(welcome, granted, publish(0, Buffer.from('x')), publish(1, Buffer.from('y'))),
    fc.constantFrom(Buffer.from([0xd0, 0]), Buffer.from([0x40, 2, 0, 1]), Buffer.from([0x20, 2, 0, 5])),
    rubbishBytes.map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.nat(255), fc.uint8Array({ maxLength: 100 }))
      .map(([head, body]) => Buffer.concat([Buffer.from([head, body.length]), Buffer.from(body)])),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (pieces, greets) => {
        const said = Promise.withResolvers<void>()
        const broker = await brokerThat((socket) => {
          socket.end(Buffer.concat([...(greets ? [welcome] : []), ...pieces]))
          socket.once('close', () => said.resolve())
        })
        const { client } = listen(broker)
        await said.promise
        await client[Symbol.asyncDispose]()
        expect(problems).toEqual([])
      },
    ),
    fuzzing(150),
  )
})

test.each([
  ['announces a packet of 256 MB', [0x30, 0xff, 0xff, 0xff, 0x7f], 'sends a packet of 268435455 bytes'],
  [
    'announces one without end',
    [0x30, 0xff, 0xff, 0xff, 0xff, 0xff],
    'sends a packet without a valid length',
  ],
  ['sends with QoS 2', [...publish(2, Buffer.from('z'))], 'sends with QoS 2'],
  ['cuts a PUBREL short', [0x62, 1, 21], 'sends a packet that is cut short'],
  ['cuts a PUBREC short', [0x50, 1, 21], 'sends a packet that is cut short'],
  ['cuts a PUBREC shorter', [0x50, 0], 'sends a packet that is cut short'],
  ['cuts a message with QoS 2 short', [0x34, 4, 0, 1, 97, 21], 'sends with QoS 2'],
])('a broker that %s is hung up on, and the reason is told', async (_title, bytes, reason) => {
  const broker = await brokerThat((socket) => {
    socket.write(welcome)
    socket.once('data', () => socket.write(Buffer.concat([granted, Buffer.from(bytes)])))
  })
  const { received, states } = listen(broker)
  await expect.poll(() => states.find((state) => state.includes(reason))).toBeDefined()
  expect(received).toEqual([])
})

test('a trial of such a broker ends, and says why', async () => {
  const silent = await brokerThat((socket) => socket.write(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])))
  expect((await probe(silent, loopback)).connection).toContain('sends a packet of 268435455 bytes')
  const babbling = await brokerThat((socket) => socket.end(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')))
  expect((await probe(babbling, loopback)).connection).not.toBeNull()
})
