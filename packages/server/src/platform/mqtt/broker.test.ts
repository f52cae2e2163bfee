import { connect as connectTcp } from 'node:net'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { Metrics } from '../metrics.ts'
import { type BrokerEvent, type InboundPublish, MqttBroker } from './broker.ts'
import { coversFilter, matchesFilter } from './topics.ts'

interface Account {
  name: string
}

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/**
 * A broker with the accounts `city` and `water` (password: `secret`), each with topics below its own name.
 */
async function startBroker(receive: (message: InboundPublish, account: Account) => Promise<void>) {
  const events: (BrokerEvent & { account: string })[] = []
  const turnedAway: string[] = []
  const metrics = stack.use(new Metrics())
  const broker = new MqttBroker<Account>(
    { host: '127.0.0.1', port: 0, packetBytesMax: 10_000 },
    {
      authenticate: async (name, password) => {
        if (name === 'busy') return 'busy'
        return ['city', 'water'].includes(name) && password === 'secret' ? { name } : null
      },
      mayPublish: ({ name }, topic) => matchesFilter(`${name}/#`, topic) || matchesFilter('shared/#', topic),
      maySubscribe: ({ name }, filter) =>
        coversFilter(`${name}/#`, filter) || coversFilter('shared/#', filter),
      receive: (account, message) => receive(message, account),
      event: (account, event) => events.push({ ...event, account: account.name }),
      turnedAway: (username, reason) => turnedAway.push(`${username}: ${reason}`),
    },
    pino({ level: 'silent' }),
    metrics,
  )
  await broker.listen()
  stack.use(broker)
  return { broker, events, turnedAway }
}

async function signIn(broker: MqttBroker<Account>, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    username: 'city',
    password: 'secret',
    reconnectPeriod: 0,
    ...options,
  })
  stack.defer(() => client.endAsync(true))
  return client
}

test('acknowledged means stored, in the order of arrival', async () => {
  const gate = Promise.withResolvers<void>()
  const log: string[] = []
  const { broker } = await startBroker(async ({ topic }) => {
    log.push(`begin ${topic}`)
    await gate.promise
    log.push(`stored ${topic}`)
  })
  const client = await signIn(broker)
  const topics = ['city/1', 'city/2', 'city/3']
  const all = topics.map((topic, index) =>
    client.publishAsync(topic, 'x', { qos: index === 1 ? 2 : 1 }).then(() => log.push(`acked ${topic}`)),
  )
  await expect.poll(() => log.length).toBe(3)
  expect(log).toEqual(topics.map((topic) => `begin ${topic}`))
  gate.resolve()
  await Promise.all(all)
  expect(log.slice(3, 6)).toEqual(topics.map((topic) => `stored ${topic}`))
  expect(log.slice(6).sort()).toEqual(topics.map((topic) => `acked ${topic}`))
})

test('what could not be stored is not acknowledged: the client sends it again', async () => {
  let attempts = 0
  const { broker, events } = await startBroker(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('database away')
  })
  const client = await signIn(broker, { reconnectPeriod: 10, clean: false, clientId: 'meter' })
  await client.publishAsync('city/a', 'x', { qos: 1 })
  expect(attempts).toBe(2)
  expect(events).toContainEqual({
    account: 'city',
    kind: 'store-failed',
    clientId: 'meter',
    detail: 'database away',
  })
})

test('wrong passwords, unknown names and busy times are told apart', async () => {
  const { broker } = await startBroker(async () => {})
  await expect(signIn(broker, { password: 'wrong' })).rejects.toMatchObject({ code: 4 })
  await expect(signIn(broker, { username: 'nobody' })).rejects.toMatchObject({ code: 4 })
  await expect(signIn(broker, { username: 'busy' })).rejects.toMatchObject({ code: 3 })
})

test('clients that cannot be served are told off and noted', async () => {
  const { broker, turnedAway } = await startBroker(async () => {})
  for (const options of [{ protocolVersion: 5 as const }, { clientId: 'x'.repeat(300) }]) {
    const address = `mqtt://127.0.0.1:${broker.port}`
    const client = mqtt.connect(address, { username: 'city', reconnectPeriod: 0, ...options })
    client.on('error', () => {}) // the refusal; the test waits for the close
    await new Promise<void>((resolve) => client.once('close', resolve))
    expect(client.connected).toBe(false)
  }
  expect(turnedAway).toEqual([
    'city: The client speaks MQTT 5, the broker MQTT 3.1 and 3.1.1',
    'city: The client id has more than 256 characters',
  ])
  expect((await signIn(broker, { protocolId: 'MQIsdp', protocolVersion: 3 })).connected).toBe(true)
})

test('a topic without right closes the connection, a subscription without right is refused alone', async () => {
  const received: string[] = []
  const { broker, events } = await startBroker(async ({ topic }) => void received.push(topic))
  const client = await signIn(broker, { clientId: 'c1' })
  for (const filter of ['#', 'water/#', '$SYS/#', '+/a']) {
    await expect(client.subscribeAsync(filter, { qos: 1 }), filter).rejects.toThrow()
  }
  expect(await client.subscribeAsync('city/+/up', { qos: 1 })).toEqual([{ topic: 'city/+/up', qos: 1 }])
  const closed = new Promise<void>((resolve) => client.once('close', resolve))
  client.publish('water/x', 'x', { qos: 1 })
  await closed
  expect(received).toEqual([])
  expect(events.filter(({ kind }) => kind.endsWith('refused')).map(({ detail }) => detail)).toEqual([
    '#',
    'water/#',
    '$SYS/#',
    '+/a',
    'water/x',
  ])
})

test('accounts share neither messages nor client ids', async () => {
  const { broker } = await startBroker(async () => {})
  const city = await signIn(broker, { clientId: 'gateway' })
  const water = await signIn(broker, { clientId: 'gateway', username: 'water' })
  const seen: string[] = []
  city.on('message', (topic, payload) => seen.push(`city ${topic} ${payload}`))
  water.on('message', (topic, payload) => seen.push(`water ${topic} ${payload}`))
  await city.subscribeAsync('shared/#', { qos: 1 })
  await water.subscribeAsync('shared/#', { qos: 1 })
  await city.publishAsync('shared/a', '1', { qos: 1, retain: true })
  await water.publishAsync('shared/a', '2', { qos: 1, retain: true })
  await expect.poll(() => seen.length).toBe(2)
  expect(seen.sort()).toEqual(['city shared/a 1', 'water shared/a 2'])
  expect([city.connected, water.connected]).toEqual([true, true])
  expect(broker.count(({ name }) => name === 'city')).toBe(1)

  const later = await signIn(broker, { clientId: 'later', username: 'water' })
  later.on('message', (topic) => seen.push(`later ${topic}`))
  await later.subscribeAsync('shared/#', { qos: 1 })
  await later.publishAsync('shared/end', '', { qos: 1 })
  await expect.poll(() => seen.filter((text) => text.includes('shared/end')).length).toBe(2)
  expect(seen, 'nothing is retained').not.toContain('later shared/a')
})

test('a client that comes again takes its own place', async () => {
  const { broker } = await startBroker(async () => {})
  const first = await signIn(broker, { clientId: 'one' })
  const closed = new Promise<void>((resolve) => first.once('close', resolve))
  await signIn(broker, { clientId: 'one' })
  await closed
  await expect.poll(() => broker.count(() => true)).toBe(1)
})

test('the will of a client that vanishes is taken like any message', async () => {
  const received: string[] = []
  const { broker } = await startBroker(
    async ({ topic, payload }) => void received.push(`${topic} ${payload}`),
  )
  const will = { topic: 'city/a/state', payload: Buffer.from('gone'), qos: 1 as const, retain: true }
  const client = await signIn(broker, { will })
  client.stream.destroy()
  await expect.poll(() => received).toEqual(['city/a/state gone'])
  const forbidden = await signIn(broker, { will: { ...will, topic: 'water/a' } })
  forbidden.stream.destroy()
  await expect.poll(() => broker.count(() => true)).toBe(0)
  expect(received).toHaveLength(1)
})

test('too large packets end the connection before they are collected', async () => {
  const received: number[] = []
  const { broker, events } = await startBroker(async ({ payload }) => void received.push(payload.length))
  const client = await signIn(broker, { clientId: 'big' })
  await client.publishAsync('city/a', Buffer.alloc(9_000), { qos: 1 })
  const closed = new Promise<void>((resolve) => client.once('close', resolve))
  client.publish('city/a', Buffer.alloc(20_000), { qos: 1 })
  await closed
  expect(received).toEqual([9_000])
  expect(events).toContainEqual({
    account: 'city',
    kind: 'too-large',
    clientId: 'big',
    detail: expect.stringContaining('20010 bytes'),
  })
  const socket = connectTcp(broker.port, '127.0.0.1')
  const hungUp = new Promise<void>((resolve) => socket.once('close', resolve))
  socket.write(Uint8Array.from([0x10, 0xff, 0xff, 0xff, 0x7f]))
  await hungUp
})

test('a session can be cut off, and a stop lets what is being stored finish', async () => {
  const gate = Promise.withResolvers<void>()
  let begun = false
  const { broker } = await startBroker(async () => {
    begun = true
    await gate.promise
  })
  const water = await signIn(broker, { username: 'water' })
  const client = await signIn(broker)
  const closed = new Promise<void>((resolve) => water.once('close', resolve))
  broker.disconnect(({ name }) => name === 'water')
  await closed
  const published = client.publishAsync('city/a', 'x', { qos: 1 })
  await expect.poll(() => begun).toBe(true)
  const stopped = broker[Symbol.asyncDispose]()
  gate.resolve()
  await published
  await stopped
})
