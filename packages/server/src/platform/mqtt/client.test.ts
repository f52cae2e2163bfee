import { createServer } from 'node:net'
import mqtt, { type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Mosquitto } from '../../../test/mosquitto.ts'
import { Outgoing } from '../net/outgoing.ts'
import { type ForeignBroker, ForeignClient, probe } from './client.ts'

let mosquitto: Mosquitto
beforeAll(async () => {
  mosquitto = await Mosquitto.start()
})
afterAll(() => mosquitto[Symbol.asyncDispose]())

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const loopback = new Outgoing(['127.0.0.0/8', '::1'])
let serial = 0
const settings = (changes: Partial<ForeignBroker> = {}): ForeignBroker => ({
  host: '127.0.0.1',
  port: mosquitto.port,
  tls: false,
  allowSelfSigned: false,
  username: 'bridge',
  password: 'secret',
  clientId: `leitstand-test-${++serial}`,
  topics: ['city/+/up'],
  ...changes,
})

/** Our client, with what it received and reported. */
function listen(
  broker: ForeignBroker,
  receive: (text: string) => Promise<void> = async () => {},
  outgoing = loopback,
) {
  const received: string[] = []
  const states: string[] = []
  const messages: string[] = []
  const client = stack.use(
    new ForeignClient(
      broker,
      {
        receive: async ({ topic, payload }) => {
          received.push(`${topic} ${payload}`)
          await receive(String(payload))
        },
        state: (state, message) => {
          states.push(state)
          messages.push(message)
        },
      },
      pino({ level: 'silent' }),
      outgoing,
      () => 0,
    ),
  )
  return { client, received, states, messages }
}

async function publisher(): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
    username: 'bridge',
    password: 'secret',
    reconnectPeriod: 50,
  })
  stack.defer(() => client.endAsync(true))
  return client
}

const soon = { timeout: 60_000 }

test('receives what its topics match, QoS 0 and 1', async () => {
  const { received, states } = listen(settings({ topics: ['city/+/up', 'shared/#'] }))
  await expect.poll(() => states, soon).toEqual(['connecting', 'connected'])
  const sender = await publisher()
  await sender.publishAsync('city/a/up', '1', { qos: 1 })
  await sender.publishAsync('city/a/down', '2', { qos: 1 })
  sender.publish('shared/x/y', '3', { qos: 0 })
  await sender.publishAsync('city/b/up', '4', { qos: 2 })
  await expect.poll(() => received, soon).toEqual(['city/a/up 1', 'shared/x/y 3', 'city/b/up 4'])
})

test('what is published while we are away arrives later', async () => {
  const broker = settings()
  const first = listen(broker)
  await expect.poll(() => first.states, soon).toContain('connected')
  await first.client[Symbol.asyncDispose]()
  const sender = await publisher()
  for (const text of ['1', '2', '3']) await sender.publishAsync('city/a/up', text, { qos: 1 })
  const second = listen(broker)
  await expect.poll(() => second.received, soon).toEqual(['city/a/up 1', 'city/a/up 2', 'city/a/up 3'])
})

test('many messages are on their way at once, none twice, in order', async () => {
  let running = 0
  let most = 0
  const { received, states } = listen(settings(), async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
  })
  await expect.poll(() => states, soon).toContain('connected')
  const sender = await publisher()
  const count = 1000
  await Promise.all(
    Array.from({ length: count }, (_, index) => sender.publishAsync('city/a/up', String(index), { qos: 1 })),
  )
  await expect.poll(() => received.length, soon).toBe(count)
  expect(received).toEqual(Array.from({ length: count }, (_, index) => `city/a/up ${index}`))
  expect(most).toBeGreaterThan(1)
})

test('an unstored message is not acknowledged: it comes again', async () => {
  let failing = true
  const { received, states, messages } = listen(settings(), async () => {
    if (failing) throw new Error('database away')
  })
  await expect.poll(() => states, soon).toContain('connected')
  const sender = await publisher()
  await sender.publishAsync('city/a/up', '1', { qos: 1 })
  await expect.poll(() => messages, soon).toContain('A message could not be stored: database away')
  failing = false
  const attempts = received.length
  await expect.poll(() => received.length, soon).toBeGreaterThan(attempts)
  const stored = received.length
  await sender.publishAsync('city/a/up', '2', { qos: 1 })
  await expect.poll(() => received, soon).toHaveLength(stored + 1)
})

test('survives a restart of the broker, and gets what was published before and after', async () => {
  const gate = Promise.withResolvers<void>()
  const { received, states } = listen(settings(), async () => gate.promise)
  await expect.poll(() => states, soon).toContain('connected')
  const sender = await publisher()
  await sender.publishAsync('city/a/up', 'before', { qos: 1 })
  await expect.poll(() => received, soon).toEqual(['city/a/up before'])
  await mosquitto.down()
  await expect.poll(() => states, soon).toEqual(expect.arrayContaining(['error']))
  await mosquitto.up()
  gate.resolve()
  await expect.poll(() => states.at(-1), soon).toBe('connected')
  await sender.publishAsync('city/a/up', 'after', { qos: 1 })
  // The message that was not acknowledged before the restart is delivered again.
  await expect.poll(() => received, soon).toEqual(['city/a/up before', 'city/a/up before', 'city/a/up after'])
})

test('given up topics collect nothing any more', async () => {
  const broker = settings()
  const first = listen(broker)
  await expect.poll(() => first.states, soon).toContain('connected')
  await first.client.unsubscribe(broker.topics)
  await first.client[Symbol.asyncDispose]()
  const sender = await publisher()
  await sender.publishAsync('city/a/up', 'nobody wants this', { qos: 1 })
  const second = listen(broker)
  await expect.poll(() => second.states, soon).toContain('connected')
  await sender.publishAsync('city/a/up', 'end', { qos: 1 })
  await expect.poll(() => second.received, soon).toEqual(['city/a/up end'])
})

test('a wrong password is an error that ends when it is right again', async () => {
  const { states, messages } = listen(settings({ password: 'wrong' }))
  await expect.poll(() => states, soon).toEqual(['connecting', 'error'])
  expect(messages.at(-1)).toMatch(/it refuses/)
})

test('a trial finds what is wrong', async () => {
  expect(await probe(settings(), loopback)).toEqual({ connection: null, subscription: null })
  const tls = { tls: true, port: mosquitto.tlsPort, host: 'localhost' }
  expect(await probe(settings({ ...tls, allowSelfSigned: true }), loopback)).toEqual({
    connection: null,
    subscription: null,
  })
  expect((await probe(settings(tls), loopback)).connection).toMatch(/self-signed/)
  expect((await probe(settings({ password: 'wrong' }), loopback)).connection).toMatch(/it refuses/)
  expect((await probe(settings({ port: 1 }), loopback)).connection).toBe('127.0.0.1:1: nothing listens there')
  expect((await probe(settings({ host: 'nowhere.invalid' }), loopback)).connection).toMatch(/host|looked up/)
  const mute = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const address = mute.address() as { port: number }
  expect((await probe(settings({ port: address.port }), loopback)).connection).toMatch(/closed/)
  await new Promise((resolve) => mute.close(resolve))
})

test('a broker whose network is closed stays unreached, at each attempt, and the reason is told', async () => {
  const { states, messages } = listen(settings(), undefined, new Outgoing([]))
  await expect.poll(() => states.filter((state) => state === 'error').length).toBe(2)
  expect(messages.at(-1)).toContain('ALLOWED_NETWORKS')
})
