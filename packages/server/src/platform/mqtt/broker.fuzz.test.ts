import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import mqtt, { type Packet } from 'mqtt'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzing, rubbishBytes } from '../../../test/fuzz.ts'
import { Metrics } from '../metrics.ts'
import { MqttBroker } from './broker.ts'
import { subscriberLimits } from './subscribers.ts'
import { coversFilter, matchesFilter } from './topics.ts'

const packetBytesMax = 10_000
const stack = new AsyncDisposableStack()
const received: { topic: string; payload: Buffer }[] = []
const problems: string[] = []
let broker: MqttBroker<{ name: string }>

beforeAll(async () => {
  const keep = (kind: string) => (error: unknown) => problems.push(`${kind}: ${String(error)}`)
  for (const kind of ['unhandledRejection', 'uncaughtException'] as const) {
    const listener = keep(kind)
    process.on(kind, listener)
    stack.defer(() => void process.off(kind, listener))
  }
  const log = pino({ level: 'error' }, { write: (line: string) => problems.push(line) })
  broker = new MqttBroker(
    { host: '127.0.0.1', port: 0, packetBytesMax },
    {
      authenticate: async (name, password) => (name === 'city' && password === 'secret' ? { name } : null),
      mayPublish: (_session, topic) => matchesFilter('city/#', topic),
      maySubscribe: (_session, filter) => coversFilter('city/#', filter),
      receive: async (_session, { topic, payload }) => void received.push({ topic, payload }),
      event: () => {},
      turnedAway: () => {},
    },
    log,
    stack.use(new Metrics()),
  )
  await broker.listen()
  stack.use(broker)
})
afterAll(() => stack.disposeAsync())

// ---- packets of MQTT 3.1.1, hand-written so that they can be invalid

const bytesOf = (...parts: (string | Uint8Array | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? text(part) : Buffer.from(part))))

/** A text with its length prefix. */
function text(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

function packet(head: number, body: Uint8Array): Buffer {
  const length: number[] = []
  let rest = body.length
  do {
    length.push((rest % 128) | (rest >= 128 ? 0x80 : 0))
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  return bytesOf([head, ...length], body)
}

const connectPacket = (client = 'fuzz', user = 'city', password = 'secret') =>
  packet(0x10, bytesOf('MQTT', [4, 0xc2, 0, 60], client, user, password))
const connectWithWill = (topic: string, message: string) =>
  packet(0x10, bytesOf('MQTT', [4, 0xc6, 0, 60], 'will', topic, message, 'city', 'secret'))
const publish = (topic: string | Uint8Array, payload: Uint8Array, id = 1, flags = 2) =>
  packet(0x30 | flags, bytesOf(text(topic as string), flags & 6 ? [id >> 8, id & 255] : [], payload))
const subscribe = (...filters: string[]) =>
  packet(0x82, bytesOf([0, 9], ...filters.flatMap((filter) => [text(filter), [1]])))
const sound: readonly Buffer[] = [
  connectPacket(),
  connectWithWill('city/gone', 'bye'),
  connectWithWill('city/#', '\u0000'),
  publish('city/a', Buffer.from('{"a":1}')),
  publish('city/b', Buffer.from('00ff'), 2, 4),
  publish('city/c', Buffer.from('x'), 0, 0),
  subscribe('city/#', 'city/+/a'),
  packet(0xa2, bytesOf([0, 9], 'city/#')),
  packet(0xc0, Buffer.alloc(0)),
  packet(0x62, Buffer.from([0, 2])),
  packet(0x40, Buffer.from([0, 1])),
  packet(0x50, Buffer.from([0, 1])),
  packet(0x70, Buffer.from([0, 1])),
  packet(0x20, Buffer.from([0, 0])),
  packet(0xe0, Buffer.alloc(0)),
]

const topic = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }).map((name) => Buffer.from(`city/${name}`)),
  rubbishBytes.map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      ...[
        '',
        '/',
        '//',
        '#',
        '+',
        'city/#',
        'city/+',
        'city/\u0000',
        '$SYS/broker',
        '$share/g/city/a',
        'city/a/',
      ],
      ...['x'.repeat(9_000), `city${'/a'.repeat(200)}`, `city/${'\ud83d\ude00'.repeat(50)}`],
    )
    .map((name) => Buffer.from(name)),
)

const written = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...sound) },
  {
    weight: 3,
    arbitrary: fc.tuple(topic, rubbishBytes, fc.nat(65_535), fc.nat(15)).map((p) => publish(...p)),
  },
  { weight: 1, arbitrary: fc.array(topic, { maxLength: 3 }).map((t) => subscribe(...t.map(String))) },
  // any kind of packet around any body
  { weight: 1, arbitrary: fc.tuple(fc.nat(255), rubbishBytes).map((p) => packet(...p)) },
  { weight: 1, arbitrary: rubbishBytes.map((bytes) => Buffer.from(bytes)) },
  // announced, but never sent completely
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      Buffer.from([0x32, 0x80, 0x4e, 0]),
      Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]),
    ),
  },
)

/** Bytes changed in place: lengths, flags, texts. */
const damages = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 })

const conversation = fc
  .tuple(fc.boolean(), fc.array(written, { minLength: 1, maxLength: 8 }), fc.option(damages))
  .map(([signedIn, packets, harm]) => {
    const bytes = Buffer.concat([...(signedIn ? [connectPacket()] : []), ...packets])
    const start = signedIn ? connectPacket().length : 0
    for (const [at, byte] of harm ?? []) bytes[start + (at % (bytes.length - start))] = byte
    return bytes
  })

// ---- clients

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(broker.port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

/** Sends bytes in pieces and closes the connection; resolves when the socket is closed on this side. */
async function say(bytes: Uint8Array, pieceBytes: number, hangUp: 'end' | 'reset'): Promise<void> {
  const socket = await open()
  socket.on('error', () => {}) // the broker may disconnect in the middle of a packet
  socket.resume()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  for (let at = 0; at < bytes.length && !socket.destroyed; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes)
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
  }
  if (hangUp === 'reset') socket.resetAndDestroy()
  else socket.end()
  await closed
}

/** A valid client gets its acknowledgement, and no other connection is left. */
async function expectHealthy(): Promise<void> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    username: 'city',
    password: 'secret',
    reconnectPeriod: 0,
  })
  const mark = `city/healthy/${received.length}`
  const own = new Promise<string>((resolve) => client.once('message', (name) => resolve(name)))
  await client.subscribeAsync(mark, { qos: 1 })
  await client.publishAsync(mark, 'ok', { qos: 1 })
  expect(received.at(-1)).toEqual({ topic: mark, payload: Buffer.from('ok') })
  expect(await own).toBe(mark)
  await client.endAsync()
  await expect.poll(() => broker.count(() => true)).toBe(0)
  await expect.poll(openSockets).toBe(0)
  expect(problems).toEqual([])
}

/** TCP connections of this process, both of the broker and of the clients here. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}

// ---- properties

test('any bytes, sound packets in any order, and damaged ones end a connection, never the broker', async () => {
  await fc.assert(
    fc.asyncProperty(
      conversation,
      fc.constantFrom(1, 2, 7, 4096, 4096, 4096),
      fc.constantFrom('end', 'reset'),
      async (bytes, pieceBytes, hangUp) => {
        await say(bytes, pieceBytes, hangUp)
        expect(problems).toEqual([])
      },
    ),
    fuzzing(500),
  )
  await expectHealthy()
})

test.each([
  ['PUBREL', [0x62, 1, 21]],
  ['PUBREC', [0x50, 1, 21]],
  ['PUBREC without anything', [0x50, 0]],
  ['SUBSCRIBE', [0x82, 1, 21]],
  ['message with QoS 1', [0x32, 4, 0, 1, 97, 21]],
  ['message with QoS 2', [0x34, 4, 0, 1, 97, 21]],
])(
  'a %s that is cut short before the end of its id ends a connection, never the broker',
  async (_name, bytes) => {
    await say(bytesOf(connectPacket(), bytes), 4096, 'end')
    await expectHealthy()
  },
)

test('topics reach the receiver only as valid names below what may be published', async () => {
  received.length = 0
  await fc.assert(
    fc.asyncProperty(topic, rubbishBytes, async (name, payload) => {
      await say(bytesOf(connectPacket(), publish(name, payload)), 4096, 'end')
    }),
    fuzzing(300),
  )
  for (const { topic } of received) {
    expect(matchesFilter('city/#', topic), topic).toBe(true)
    expect(topic).not.toMatch(/[#+]/)
    expect(topic.split('/').length).toBeLessThanOrEqual(31)
  }
  await expectHealthy()
})

test('half packets, announced giants and connections that say nothing are held by nobody else', async () => {
  const hanging = await Promise.all(Array.from({ length: 50 }, open))
  const closed = hanging.map(
    (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
  )
  for (const [index, socket] of hanging.entries()) {
    socket.on('error', () => {})
    socket.resume()
    if (index % 3 === 0) socket.write(connectPacket().subarray(0, 9))
    if (index % 3 === 1) socket.write(bytesOf(connectPacket(`half ${index}`), [0x32, 0x80, 0x4e, 0x00]))
  }
  const giant = await open()
  giant.on('error', () => {})
  giant.resume()
  const refused = new Promise<void>((resolve) => giant.once('close', () => resolve()))
  giant.write(bytesOf(connectPacket('giant'), [0x32, 0xff, 0xff, 0xff, 0x7f]))
  await refused
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    username: 'city',
    password: 'secret',
    reconnectPeriod: 0,
  })
  await client.publishAsync('city/meanwhile', 'ok', { qos: 1 })
  expect(received.at(-1)?.topic).toBe('city/meanwhile')
  await client.endAsync()
  for (const socket of hanging) socket.destroy()
  await Promise.all(closed)
  await expectHealthy()
})

test('a flood of connections that come and go leaves nothing behind', async () => {
  for (let round = 0; round < 10; round += 1) {
    const clients = Array.from({ length: 60 }, (_, index) => {
      const wrong = index % 3 === 0 ? 'wrong' : 'secret'
      return say(connectPacket(`flood ${index % 20}`, 'city', wrong), 4096, index % 2 ? 'end' : 'reset')
    })
    await Promise.all(clients)
  }
  await expectHealthy()
})

test('a packet that drips in byte by byte is one packet', async () => {
  received.length = 0
  const bytes = bytesOf(connectPacket('drip'), publish('city/drip', Buffer.from('slow')))
  const socket = await open()
  const acknowledged = new Promise<void>((resolve) => {
    let answer = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk])
      if (answer.includes(Buffer.from([0x40, 2, 0, 1]))) resolve()
    })
  })
  socket.setNoDelay(true)
  for (const byte of bytes)
    await new Promise<void>((resolve) => socket.write(Uint8Array.of(byte), () => resolve()))
  await acknowledged
  expect(received).toEqual([{ topic: 'city/drip', payload: Buffer.from('slow') }])
  socket.destroy()
  await expectHealthy()
})

test('a client follows as many filters as it may, and not one more', async () => {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    username: 'city',
    password: 'secret',
    reconnectPeriod: 0,
  })
  /** Number of filters the broker grants; the client's own result does not show which are refused. */
  const granted = async (filters: string[]) => {
    const answer = new Promise<readonly (number | object)[]>((resolve) => {
      const hear = (packet: Packet) => {
        if (packet.cmd !== 'suback') return
        client.off('packetreceive', hear)
        resolve(packet.granted)
      }
      client.on('packetreceive', hear)
    })
    client.subscribe(filters, { qos: 1 })
    return (await answer).filter((grant) => grant === 1).length
  }
  const names = (from: number, count: number) => Array.from({ length: count }, (_, n) => `city/f/${from + n}`)
  const half = subscriberLimits.filtersMax / 2
  expect(await granted(names(0, half))).toBe(half)
  expect(await granted([`city/${'x'.repeat(subscriberLimits.filterLengthMax)}`])).toBe(0)
  expect(await granted(names(half, half))).toBe(half)
  expect(await granted(names(2 * half, half))).toBe(0)
  expect(await granted(names(0, 5)), 'those it follows already').toBe(5)
  await client.unsubscribeAsync(names(0, 10))
  expect(await granted(names(2 * half, half))).toBe(10)
  await client.endAsync()
  await expectHealthy()
})
