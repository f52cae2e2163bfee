import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliver } from '../../src/platform/mail/transport.ts'
import { ForeignClient } from '../../src/platform/mqtt/client.ts'
import { Outgoing } from '../../src/platform/net/outgoing.ts'
import { startApp, type TestApp } from '../kit.ts'
import { heldBy, heldMsMax } from '../loopWatch.ts'
import type { Script, Talk } from './peer.ts'

let app: TestApp
let peer: Worker
beforeAll(async () => {
  app = await startApp()
  peer = new Worker(new URL('./peer.ts', import.meta.url))
})
afterAll(async () => {
  await peer.terminate()
})

async function talk(script: Script): Promise<Talk> {
  const ended = once(peer, 'message')
  peer.postMessage(script)
  const [result] = (await ended) as [Talk]
  return result
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/** An MQTT packet (3.1.1, section 2.2). */
function packet(head: number, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const size: number[] = []
  for (let rest = length; size.length === 0 || rest > 0; rest >>>= 7)
    size.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
  return Buffer.concat([Buffer.from([head, ...size]), ...parts])
}

const id = (n: number): Buffer => Buffer.from([n >> 8, n & 0xff])
const publish = (topic: string, body: string, qos = 0): Buffer =>
  packet(0x30 | (qos << 1), text(topic), ...(qos === 0 ? [] : [id(1)]), Buffer.from(body))
const many = (packets: number, each: Buffer): Buffer => Buffer.concat(Array<Buffer>(packets).fill(each))
/** The last packet; its acknowledgement says that everything before it has been read. */
const last = packet(0x32, text('own/last'), id(0xffff), Buffer.from('1'))
const lastAcknowledged = Buffer.from([0x40, 2, 0xff, 0xff])

const room = 1_000_000
const deep = '['.repeat(room / 2) + ']'.repeat(room / 2)
const wide = `[${'[],'.repeat(room / 3)}[]]`
const named = JSON.stringify(Object.fromEntries(Array.from({ length: 70_000 }, (_, n) => [`k${n}`, 1])))

describe('no client of the built-in broker holds up others:', () => {
  let port: number
  const [username, password] = ['sweep', 'correct horse battery']
  beforeAll(async () => {
    const { endpoints } = await app.api.bridge.create({
      accountId: app.rootAccountId,
      kind: 'mqtt-broker',
      name: 'Heavy clients',
      settings: { username, password, publishTopics: ['own/#'], subscribeTopics: ['own/#'] },
    })
    port = Number(new URL(endpoints[0] ?? '').port)
  })

  const greeting = (own = 'sweep', secret = password): Buffer =>
    packet(0x10, text('MQTT'), Buffer.from([4, 0b1100_0010, 0, 60]), text(own), text(username), text(secret))
  const will = packet(
    0x10,
    ...[text('MQTT'), Buffer.from([4, 0b1100_0110, 0, 60]), text('w'), text('own/will')],
    ...[text('x'.repeat(65_000)), text(username), text(password)],
  )

  test.each([
    ['a client id of 65 000 characters', greeting('x'.repeat(65_000)), Buffer.alloc(0)],
    ['a password of 65 000 characters', greeting('a', 'x'.repeat(65_000)), Buffer.alloc(0)],
    ['a will of 65 000 characters', will, Buffer.alloc(0)],
    [
      '120 000 filters in one packet',
      greeting(),
      packet(0x82, id(7), many(120_000, Buffer.concat([text('own/#'), Buffer.from([1])]))),
    ],
    ['120 000 filters to unsubscribe', greeting(), packet(0xa2, id(7), many(120_000, text('own/#')))],
    [
      'a filter of 30 000 levels',
      greeting(),
      packet(0x82, id(7), text('a/'.repeat(30_000)), Buffer.from([1])),
    ],
    ['a topic of 30 000 levels', greeting(), publish(`own${'/a'.repeat(30_000)}`, '1')],
    ['100 000 pings', greeting(), many(100_000, packet(0xc0))],
    ['10 000 messages', greeting(), many(10_000, publish('own/a', '1'))],
    ['50 000 acknowledgements', greeting(), many(50_000, packet(0x40, id(9)))],
    ['a message of deep lists', greeting(), publish('own/a', deep, 1)],
    ['a message of many lists', greeting(), publish('own/a', wide, 1)],
    ['a message of many names', greeting(), publish('own/a', named, 1)],
    ['a message without content', greeting(), publish('own/a', 'x'.repeat(room), 1)],
    ['a packet of 256 MB', greeting(), Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f, 0, 5])],
  ])(
    '%s',
    async (_, hello, heavy) => {
      const script = { port, chunks: [hello, Buffer.concat([heavy, last])], until: lastAcknowledged }
      expect(await heldBy(() => talk(script))).toBeLessThan(heldMsMax)
    },
    300_000,
  )
})

describe('no live connection holds up others:', () => {
  /** A frame of a client (RFC 6455, section 5.2), masked with zeros. */
  function frame(opcode: number, body: Buffer): Buffer {
    const { length } = body
    const size =
      length < 126
        ? Buffer.from([0x80 | length])
        : length < 65_536
          ? Buffer.from([0x80 | 126, length >> 8, length & 0xff])
          : Buffer.concat([
              Buffer.from([0x80 | 127, 0, 0, 0, 0]),
              Buffer.from(Uint32Array.of(length).buffer).swap32(),
            ])
    return Buffer.concat([Buffer.from([0x80 | opcode]), size, Buffer.alloc(4), body])
  }
  const message = (body: string) => frame(1, Buffer.from(body))

  test.each([
    ['100 000 pings of the protocol', () => many(100_000, frame(9, Buffer.alloc(0)))],
    ['100 000 pongs of the protocol', () => many(100_000, frame(10, Buffer.alloc(0)))],
    ['100 000 messages', () => many(100_000, message('{"kind":"ping"}'))],
    ['100 000 subscriptions', () => many(100_000, message('{"kind":"subscribe","topic":"packets:1"}'))],
    [
      '100 000 fragments',
      () =>
        Buffer.concat([
          Buffer.from([0x01, 0x80, 0, 0, 0, 0]),
          many(100_000, Buffer.from([0, 0x80, 0, 0, 0, 0])),
        ]),
    ],
    ['a message of deep lists', () => message(deep)],
    ['a message of many names', () => message(named)],
    ['second hellos', () => many(20_000, message('{"kind":"hello","token":null}'))],
  ])(
    '%s',
    async (_, heavy) => {
      const upgrade = [
        ...['GET /api/live HTTP/1.1', 'Host: 127.0.0.1', 'Connection: Upgrade', 'Upgrade: websocket'],
        ...['Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`, '', ''],
      ].join('\r\n')
      const hello = message(JSON.stringify({ kind: 'hello', token: app.token }))
      // Our close frame is answered when everything before it has been read.
      const bye = frame(8, Buffer.from([0x03, 0xe8]))
      const chunks = [Buffer.from(upgrade), hello, Buffer.concat([heavy(), bye])]
      const script = { port: Number(new URL(app.url).port), chunks, until: null }
      expect(
        await heldBy(() => talk({ ...script, until: Buffer.from([0x88, 0x02, 0x03, 0xe8]) })),
      ).toBeLessThan(heldMsMax)
    },
    300_000,
  )
})

/** Makes the peer listen. @returns its port, and the end of the conversation */
async function listening(chunks: Buffer[]): Promise<{ port: number; ended: Promise<unknown> }> {
  const bound = once(peer, 'message')
  peer.postMessage({ port: null, chunks, until: null } satisfies Script)
  const [{ port }] = (await bound) as [{ port: number }]
  return { port, ended: once(peer, 'message') }
}

describe('no mail server holds up others:', () => {
  const letter = {
    recipients: ['a@example.org'],
    subject: 'Test',
    text: 'Test',
    messageId: 'test@example.org',
  }
  test.each([
    ['a greeting without end', [Buffer.from(`220 ${'x'.repeat(20 * room)}`)]],
    ['a greeting of many lines', [many(300_000, Buffer.from('220-x\r\n'))]],
    [
      'capabilities without end',
      [Buffer.from('220 hello\r\n'), many(300_000, Buffer.from('250-AUTH PLAIN\r\n'))],
    ],
    [
      'a capability of a megabyte',
      [Buffer.from('220 hello\r\n'), Buffer.from(`250-${'A '.repeat(5 * room)}`)],
    ],
    ['a million empty lines', [many(room, Buffer.from('\r\n'))]],
  ])(
    '%s',
    async (_, chunks) => {
      const held = await heldBy(async () => {
        const { port, ended } = await listening(chunks)
        const server = {
          host: '127.0.0.1',
          port,
          security: 'none',
          user: '',
          password: '',
          sender: 'b@example.org',
        } as const
        await expect(deliver(server, letter, 5_000)).rejects.toThrow(/sent more than \d+ bytes/)
        await ended
      })
      expect(held).toBeLessThan(heldMsMax)
    },
    300_000,
  )
})

describe('no foreign broker holds up others:', () => {
  const welcome = Buffer.from([0x20, 2, 0, 0])
  const granted = Buffer.from([0x90, 3, 0, 1, 1])
  test.each([
    ['100 000 pings', many(100_000, packet(0xd0))],
    ['10 000 messages', many(10_000, publish('city/a', '1'))],
    ['50 000 acknowledgements', many(50_000, packet(0x40, id(9)))],
    ['a message of deep lists', publish('city/a', deep, 1)],
    ['a message of many names', publish('city/a', named, 1)],
    ['a topic of 30 000 levels', publish(`city${'/a'.repeat(30_000)}`, '1', 1)],
    ['a packet of 256 MB', Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f, 0, 5])],
  ])(
    '%s',
    async (_, heavy) => {
      const held = await heldBy(async () => {
        const { port, ended } = await listening([welcome, Buffer.concat([granted, heavy])])
        const login = { username: 'bridge', password: 'secret', clientId: 'sweep' }
        const broker = {
          host: '127.0.0.1',
          port,
          tls: false,
          allowSelfSigned: false,
          ...login,
          topics: ['city/#'],
        }
        await using client = new ForeignClient(
          broker,
          { receive: async () => undefined, state: () => undefined },
          pino({ level: 'silent' }),
          new Outgoing(['127.0.0.0/8']),
          () => 0.5,
        )
        await ended
        expect(client).toBeDefined()
      })
      expect(held).toBeLessThan(heldMsMax)
    },
    300_000,
  )
})
