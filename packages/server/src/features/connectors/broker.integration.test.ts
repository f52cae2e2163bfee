import { connect } from 'node:net'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { createDevice, createDriver } from '../../../test/pipeline.ts'
import { ingestLimits } from '../ingest/index.ts'

let app: TestApp
let serial = 0
let stack = new AsyncDisposableStack()

beforeAll(async () => {
  app = await startApp()
})
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const password = 'correct horse'

async function broker(settings: object = {}) {
  const username = `city-${++serial}`
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'mqtt-broker',
    name: `Broker ${serial}`,
    settings: { username, password, ...settings },
  })
  const owner = { id: connector.id, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  return {
    ...connector,
    username,
    owner,
    address: connector.endpoints[0]?.replace('localhost', '127.0.0.1') ?? '',
  }
}

async function signIn(
  { address, username }: { address: string; username: string },
  options: IClientOptions = {},
): Promise<MqttClient> {
  const client = await mqtt.connectAsync(address, { username, password, reconnectPeriod: 0, ...options })
  stack.defer(() => client.endAsync(true))
  return client
}

const packetsOf = (deviceId: number) =>
  app.ctx.db.selectFrom('packets').selectAll().where('device_id', '=', deviceId).orderBy('id').execute()
const traffic = async (id: number) => (await app.api.bridge.traffic({ id })).items
const logs = async (id: number) => (await app.api.bridge.logs({ id })).items

test('a message is stored when it is acknowledged; the topic names the device', async () => {
  const connector = await broker()
  expect(connector).toMatchObject({ state: 'listening', settings: { password: '' }, key: null })
  const script = 'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10 } } }'
  const device = await createDevice(app, connector.owner, 'well-3', await createDriver(app, script))
  const client = await signIn(connector)
  await client.publishAsync(`${connector.username}/well-3`, 'f0', { qos: 1 })
  expect(await packetsOf(device)).toMatchObject([{ payload: 'f0', variables: { temperature: 24 } }])
  await client.publishAsync(`${connector.username}/x`, '{"identifier":"well-3","data":"10"}', { qos: 2 })
  expect(await packetsOf(device)).toHaveLength(2)
  expect(await traffic(connector.id)).toMatchObject([
    { identifier: 'well-3', deviceId: device, raw: '{"identifier":"well-3","data":"10"}' },
    { identifier: 'well-3', raw: 'f0', decoded: { temperature: 24 }, error: null },
  ])
})

test('an uplink of ChirpStack tells its event in the topic', async () => {
  const connector = await broker({ preset: 'chirpstack-v4', publishTopics: ['application/#'] })
  const device = await createDevice(app, connector.owner, '70B3D57ED0001234')
  const client = await signIn(connector)
  const topic = 'application/1/device/70b3d57ed0001234/event'
  const body = { deviceInfo: { devEui: '70b3d57ed0001234' }, devAddr: '0001', fCnt: 3, data: 'qg==' }
  await client.publishAsync(`${topic}/up`, JSON.stringify(body), { qos: 1 })
  await client.publishAsync(`${topic}/up`, JSON.stringify(body), { qos: 1 })
  await client.publishAsync(`${topic}/join`, JSON.stringify(body), { qos: 1 })
  expect(await packetsOf(device)).toMatchObject([{ payload: 'aa', f_cnt: 3 }])
  expect(await traffic(connector.id)).toMatchObject([
    { decoded: { event: 'join' } },
    { decoded: { duplicate: true } },
    { identifier: '70B3D57ED0001234' },
  ])
})

test('what cannot be used is acknowledged because it is kept', async () => {
  const connector = await broker()
  const client = await signIn(connector)
  await client.publishAsync(`${connector.username}/nobody`, '{"a":1}', { qos: 1 })
  await client.publishAsync(`${connector.username}/nobody`, 'neither JSON nor hex', { qos: 1 })
  expect(client.connected).toBe(true)
  expect(await app.api.letters.list({ id: connector.id })).toMatchObject({
    total: 2,
    items: [
      { reason: 'PACKET_INVALID', body: 'neither JSON nor hex' },
      { reason: 'DEVICE_UNKNOWN', identifier: 'nobody', body: '{"a":1}' },
    ],
  })
})

test('a template sees the topic and keeps the order of a client', async () => {
  const template = `module.exports = function (payload, meta) {
    return { identifier: meta.topic.split('/')[1], data: { n: payload.n } }
  }`
  const connector = await broker({ preset: 'template', template })
  const device = await createDevice(app, connector.owner, 'dev')
  const client = await signIn(connector)
  const count = 200
  await Promise.all(
    Array.from({ length: count }, (_, n) =>
      client.publishAsync(`${connector.username}/dev`, JSON.stringify({ n }), { qos: 1 }),
    ),
  )
  expect((await packetsOf(device)).map(({ payload }) => JSON.parse(payload).n)).toEqual(
    Array.from({ length: count }, (_, n) => n),
  )
})

describe('rights', () => {
  test('a wrong password is refused and noted; a new one ends the old connections', async () => {
    const connector = await broker()
    await expect(signIn(connector, { password: 'wrong' })).rejects.toMatchObject({ code: 4 })
    expect(await logs(connector.id)).toMatchObject([{ event: 'login-refused', level: 'warning' }, {}])
    const client = await signIn(connector)
    const closed = new Promise<void>((resolve) => client.once('close', resolve))
    const settings = { ...connector.settings, password: 'another horse' }
    await app.api.bridge.update({ ...connector, settings })
    await closed
    await expect(signIn(connector)).rejects.toMatchObject({ code: 4 })
    expect((await signIn(connector, { password: 'another horse' })).connected).toBe(true)
  })

  test('guessing passwords is slow, and locks nobody else out', async () => {
    const [connector, neighbour] = [await broker(), await broker()]
    const good = await signIn(connector)
    /** Connects from a local address of its own. */
    const from = (localAddress: string, options: IClientOptions = {}) => {
      const { hostname: host, port } = new URL(connector.address)
      const settings = { username: connector.username, password, reconnectPeriod: 0, ...options }
      const client = new mqtt.MqttClient(() => connect({ host, port: Number(port), localAddress }), settings)
      stack.defer(() => client.endAsync(true))
      return new Promise((resolve, reject) => client.once('connect', resolve).once('error', reject))
    }
    const codes: number[] = []
    const guess = async (address: string, n: number) =>
      from(address, { password: `guess ${n}` }).catch((error: { code: number }) => codes.push(error.code))
    for (let round = 0; round < 30; round++)
      await Promise.all(Array.from({ length: 10 }, (_, n) => guess(`127.0.0.${20 + n}`, round * 10 + n)))
    expect(codes).toHaveLength(300)
    // 4: the password is wrong; 3: it was not checked.
    const looked = codes.filter((code) => code === 4).length
    expect(looked).toBeGreaterThan(0)
    expect(looked).toBeLessThan(150)
    expect(codes.filter((code) => code === 3)).toHaveLength(300 - looked)
    // After this many wrong passwords not even the right one is checked, so that guessing stops.
    await expect(from('127.0.0.20')).rejects.toMatchObject({ code: 3 })
    expect(good.connected).toBe(true)
    expect((await signIn(connector)).connected).toBe(true)
    expect((await signIn(neighbour)).connected).toBe(true)
    const texts = (await logs(connector.id)).map(({ message }) => message)
    expect(texts).toContainEqual(expect.stringContaining('Too many wrong passwords'))
    await app.ctx.limitHits.write()
    const { times } = await app.ctx.db
      .selectFrom('limit_hits')
      .select('times')
      .where('limit', '=', 'mqttSignIns')
      .executeTakeFirstOrThrow()
    expect(times).toBe(300 - looked + 1)
  })

  test('a change of the way messages are read does not disturb connections', async () => {
    const connector = await broker()
    const device = await createDevice(app, connector.owner, 'dev')
    const client = await signIn(connector)
    const template = 'module.exports = (payload) => ({ identifier: "dev", data: payload })'
    const settings = { ...connector.settings, preset: 'template', template }
    await app.api.bridge.update({ ...connector, name: 'Renamed', settings })
    await client.publishAsync(`${connector.username}/x`, '{"a":1}', { qos: 1 })
    expect(await packetsOf(device)).toMatchObject([{ payload: '{"a":1}' }])
    expect(client.connected).toBe(true)
  })

  test('topics outside of the rights are refused and noted', async () => {
    const connector = await broker({ subscribeTopics: ['{username}/down/#'] })
    const client = await signIn(connector, { clientId: 'c1' })
    await expect(client.subscribeAsync('#', { qos: 1 })).rejects.toThrow()
    await client.subscribeAsync(`${connector.username}/down/#`, { qos: 1 })
    const closed = new Promise<void>((resolve) => client.once('close', resolve))
    client.publish('other/x', '1', { qos: 1 })
    await closed
    expect((await logs(connector.id)).map(({ message }) => message)).toEqual(
      expect.arrayContaining(['c1 may not publish to other/x', 'c1 may not subscribe to #']),
    )
    expect(await app.api.letters.list({ id: connector.id })).toMatchObject({ total: 0 })
  })

  test('a connector that is switched off or deleted lets nobody in', async () => {
    const connector = await broker()
    const client = await signIn(connector)
    const closed = new Promise<void>((resolve) => client.once('close', resolve))
    const off = await app.api.bridge.update({ ...connector, enabled: false })
    await closed
    expect(off.state).toBe('disabled')
    await expect(signIn(connector)).rejects.toMatchObject({ code: 4 })
    const on = await app.api.bridge.update({ ...off, enabled: true })
    expect(on.state).toBe('listening')
    await signIn(connector)
    await app.api.bridge.delete({ id: connector.id })
    await expect(signIn(connector)).rejects.toMatchObject({ code: 4 })
  })

  test('a user name is there once, in all accounts', async () => {
    const connector = await broker()
    const other = await createAccount(app)
    const taken = { accountId: other.id, kind: 'mqtt-broker' as const, name: 'Copy' }
    const settings = { username: connector.username, password }
    await expect(app.api.bridge.create({ ...taken, settings })).rejects.toMatchObject({
      code: 'BRIDGE_INVALID_SETTINGS',
      data: { checks: expect.arrayContaining([expect.objectContaining({ name: 'username', ok: false })]) },
    })
  })
})

test('a full pipeline stops the reading; nothing is dropped, every client keeps its order', async () => {
  const connector = await broker()
  const clients = await Promise.all([signIn(connector), signIn(connector), signIn(connector)])
  const devices = await Promise.all(
    clients.map((_, index) => createDevice(app, connector.owner, `dev-${index}`)),
  )
  const lock = await app.ctx.pool.connect()
  const count = 1000
  let acknowledged = 0
  try {
    await lock.query('begin; lock table dead_letters in access exclusive mode')
    const ghost = {
      connector: connector.owner,
      packets: [{ identifier: 'ghost', data: 1 }],
      raw: '',
      receivedAt: new Date(),
    }
    const before = Array.from({ length: ingestLimits.lane.items }, () => app.app.ingest.submit(ghost))
    const after = clients.flatMap((client, index) =>
      Array.from({ length: count }, async (_, n) => {
        await client.publishAsync(`${connector.username}/dev-${index}`, JSON.stringify({ n }), { qos: 1 })
        acknowledged += 1
      }),
    )
    await expect.poll(() => app.app.ingest.hasRoom(connector.owner)).toBe(false)
    expect(acknowledged).toBe(0)
    await lock.query('rollback')
    await Promise.all([...before, ...after])
  } finally {
    lock.release()
  }
  for (const device of devices) {
    const stored = (await packetsOf(device)).map(({ payload }) => JSON.parse(payload).n)
    expect(stored).toEqual(Array.from({ length: count }, (_, n) => n))
  }
})

test('large messages wait after many that could not be read; others do not', async () => {
  const connector = await broker()
  const [client, other] = [await signIn(connector), await signIn(connector)]
  const topic = `${connector.username}/x`
  const deep = '['.repeat(450_000) + ']'.repeat(450_000)
  for (let sent = 0; sent < 5; sent++) await client.publishAsync(topic, deep, { qos: 1 })
  const ended: string[] = []
  const waiting = client.publishAsync(topic, deep, { qos: 1 }).then(
    () => ended.push('acknowledged'),
    () => ended.push('closed'),
  )
  await expect
    .poll(() => logs(connector.id).then((entries) => entries.map(({ event }) => event)))
    .toContain('limit-reached')
  await other.publishAsync(topic, '{"identifier":"nobody","data":"00"}', { qos: 1 })
  expect(ended).toEqual([])
  await client.endAsync(true)
  await waiting
  const { byReason } = await app.api.letters.list({ id: connector.id })
  expect(byReason).toEqual(
    expect.arrayContaining([
      { reason: 'PACKET_INVALID', count: 5 },
      { reason: 'DEVICE_UNKNOWN', count: 1 },
    ]),
  )
  expect(ended).toEqual(['closed'])
})

test('a busy port is an error that says so, and everything else goes on', async () => {
  const taken = await broker()
  const port = Number(new URL(taken.address).port)
  await using second = await startApp({ config: { mqttPort: port } })
  const connector = await second.api.bridge.create({
    accountId: second.rootAccountId,
    kind: 'mqtt-broker',
    name: 'Broker',
    settings: { username: 'city', password },
  })
  expect(connector).toMatchObject({ state: 'error', stateMessage: expect.stringContaining(`:${port}`) })
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
})
