import { limits } from '@leitstand/contract/common'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorOf, startApp, type TestApp } from '../../../test/kit.ts'
import { Mosquitto } from '../../../test/mosquitto.ts'
import { createDevice } from '../../../test/pipeline.ts'

/** The broker of the tests is on this machine. */
const config = { allowedNetworks: ['127.0.0.0/8', '::1'] }
let app: TestApp
let mosquitto: Mosquitto
let sender: MqttClient
let serial = 0
const soon = { timeout: 60_000 }

beforeAll(async () => {
  mosquitto = await Mosquitto.start()
  app = await startApp({ config })
  const address = `mqtt://127.0.0.1:${mosquitto.port}`
  sender = await mqtt.connectAsync(address, { username: 'bridge', password: 'secret', reconnectPeriod: 50 })
})
afterAll(async () => {
  await sender.endAsync(true)
  await mosquitto[Symbol.asyncDispose]()
})

const settings = (changes: object = {}) => ({
  host: '127.0.0.1',
  port: mosquitto.port,
  username: 'bridge',
  password: 'secret',
  topics: ['city/+/up'],
  ...changes,
})

async function connect(changes: object = {}) {
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'mqtt-in',
    name: `Foreign broker ${++serial}`,
    settings: settings(changes),
  })
  return { ...connector, owner: { id: connector.id, accountId: app.rootAccountId, scopeId: app.rootScopeId } }
}

const stateOf = async (id: number) => (await app.api.bridge.get({ id })).state
const payloads = async (deviceId: number) =>
  (
    await app.ctx.db
      .selectFrom('packets')
      .select('payload')
      .where('device_id', '=', deviceId)
      .orderBy('id')
      .execute()
  ).map(({ payload }) => payload)
const publish = (device: string, body: object) =>
  sender.publishAsync(`city/well/up`, JSON.stringify({ identifier: device, data: body }), { qos: 1 })

test('receives from a foreign broker, and shows how the connection fares', async () => {
  const connector = await connect()
  const device = await createDevice(app, connector.owner, 'd1')
  await expect.poll(() => stateOf(connector.id), soon).toBe('connected')
  expect(connector.settings).toMatchObject({
    password: '',
    clientId: expect.stringMatching(/^leitstand-[0-9a-f]{12}$/),
  })
  await publish('d1', { a: 1 })
  await expect.poll(() => payloads(device), soon).toEqual(['{"a":1}'])
  const { items } = await app.api.bridge.logs({ id: connector.id })
  expect(items.map(({ event }) => event)).toEqual(['connected', 'connecting'])
})

test('what is published while the platform is stopped, and while the broker is away, arrives', async () => {
  const connector = await connect()
  const device = await createDevice(app, connector.owner, 'd2')
  await expect.poll(() => stateOf(connector.id), soon).toBe('connected')
  await app[Symbol.asyncDispose]()
  await publish('d2', { n: 1 })
  app = await startApp({ config, address: app.address })
  await expect.poll(() => payloads(device), soon).toEqual(['{"n":1}'])

  await mosquitto.down()
  await expect.poll(() => stateOf(connector.id), soon).toBe('error')
  expect(await app.api.bridge.get({ id: connector.id })).toMatchObject({
    stateMessage: expect.stringContaining('nothing listens there'),
  })
  await mosquitto.up()
  await expect.poll(() => sender.connected, soon).toBe(true)
  await publish('d2', { n: 2 })
  // The first comes twice if the broker went away before it had the acknowledgement.
  const different = async () => [...new Set(await payloads(device))]
  await expect.poll(different, soon).toEqual(['{"n":1}', '{"n":2}'])
  await expect.poll(() => stateOf(connector.id), soon).toBe('connected')
})

test('stores only what works, and says what does not', async () => {
  const broken = connect({ password: 'wrong' })
  expect(await errorOf(broken)).toMatchObject({
    code: 'BRIDGE_CONNECTION_FAILED',
    data: { checks: expect.arrayContaining([expect.objectContaining({ name: 'connection', ok: false })]) },
  })
  expect(await errorOf(connect({ port: 1 }))).toMatchObject({ code: 'BRIDGE_CONNECTION_FAILED' })
  const tls = { port: mosquitto.tlsPort, tls: true, host: 'localhost' }
  expect(await errorOf(connect(tls))).toMatchObject({ code: 'BRIDGE_CONNECTION_FAILED' })
  const connector = await connect({ ...tls, allowSelfSigned: true })
  await expect.poll(() => stateOf(connector.id), soon).toBe('connected')
})

test('an empty password on a change keeps the stored one, a wrong one is refused', async () => {
  const connector = await connect()
  const device = await createDevice(app, connector.owner, 'd3')
  const change = { ...connector.settings, topics: ['shared/#'], password: '' }
  const changed = await app.api.bridge.update({ ...connector, settings: change })
  await expect.poll(() => stateOf(connector.id), soon).toBe('connected')
  await publish('d3', { a: 'nobody listens to this topic any more' })
  await sender.publishAsync('shared/x', '{"identifier":"d3","data":{"a":2}}', { qos: 1 })
  await expect.poll(() => payloads(device), soon).toEqual(['{"a":2}'])
  const wrong = { ...changed.settings, password: 'wrong' }
  expect(await errorOf(app.api.bridge.update({ ...changed, settings: wrong }))).toMatchObject({
    code: 'BRIDGE_CONNECTION_FAILED',
  })
})

test('a stored password is not sent to another address', async () => {
  const connector = await connect()
  const settings = { ...connector.settings, host: 'localhost' }
  expect(await errorOf(app.api.bridge.update({ ...connector, settings }))).toMatchObject({
    code: 'BRIDGE_INVALID_SETTINGS',
    data: { checks: expect.arrayContaining([expect.objectContaining({ name: 'password', ok: false })]) },
  })
  const entered = { ...settings, password: 'secret' }
  expect(await app.api.bridge.update({ ...connector, settings: entered })).toMatchObject({ version: 2 })
})

test('a connector can be renamed and switched off while its broker is away', async () => {
  const connector = await connect()
  await expect.poll(() => stateOf(connector.id), soon).toBe('connected')
  await mosquitto.down()
  const renamed = await app.api.bridge.update({ ...connector, name: 'Another name' })
  const off = await app.api.bridge.update({ ...renamed, enabled: false })
  expect(off).toMatchObject({ name: 'Another name', state: 'disabled' })
  expect(await errorOf(app.api.bridge.update({ ...off, enabled: true }))).toMatchObject({
    code: 'BRIDGE_CONNECTION_FAILED',
  })
  await mosquitto.up()
  const reset = await app.api.bridge.stateReset({ id: connector.id })
  const log = await app.api.activityLog.list({ subject: 'Connector', objectId: connector.id })
  expect(log.items[0]).toMatchObject({ action: 'stateReset', objectTitle: 'Another name' })
  expect(reset.state).toBe('waiting')
  const on = await app.api.bridge.update({ ...off, enabled: true })
  await expect.poll(() => stateOf(on.id), soon).toBe('connected')
})

test('a message that is too large to be read is kept as it begins, and what follows arrives', async () => {
  const connector = await connect()
  const device = await createDevice(app, connector.owner, 'd-large')
  await expect.poll(() => stateOf(connector.id), soon).toBe('connected')
  await sender.publishAsync('city/well/up', Buffer.alloc(limits.bodyBytesMax + 1, '7'), { qos: 1 })
  await publish('d-large', { n: 2 })
  await expect.poll(() => payloads(device), soon).toEqual(['{"n":2}'])
  // It does not block later messages, so it may be stored a moment later.
  const letters = async () => (await app.api.letters.list({ id: connector.id })).items
  await expect
    .poll(letters, soon)
    .toMatchObject([
      { reason: 'PACKET_TOO_LARGE', body: expect.stringMatching(/^7{1000}/), replayable: false },
    ])
})

test('a broker in a network the operator has not opened is not reached, and the check says why', async () => {
  await using shut = await startApp()
  const input = {
    accountId: shut.rootAccountId,
    kind: 'mqtt-in' as const,
    name: 'Closed',
    settings: settings(),
  }
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await errorOf(shut.api.bridge.create({ ...input, settings: settings({ host }) }))).toMatchObject({
      code: 'BRIDGE_CONNECTION_FAILED',
      data: {
        checks: expect.arrayContaining([
          { name: 'connection', ok: false, message: expect.stringContaining('ALLOWED_NETWORKS') },
        ]),
      },
    })
})
