import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Downlink } from '@leitstand/contract/downlinks'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { Mosquitto } from '../../../test/mosquitto.ts'
import { createConnector, createDevice, createDriver } from '../../../test/pipeline.ts'

/**
 * Mocks of The Things Stack and ChirpStack for downlinks: a broker and an HTTP API with their message
 * formats.
 */

interface Taken {
  path: string
  headers: IncomingMessage['headers']
  body: { downlinks?: { correlation_ids: string[] }[]; queueItem?: object }
}

const clock = new FakeClock()
const soon = { timeout: 60_000 }
const config = { allowedNetworks: ['127.0.0.1'] }
const eui = '0004A30B001C0530'
let app: TestApp
let mosquitto: Mosquitto
let network: MqttClient
let server: Server
let taken: Taken[] = []
const published: { topic: string; body: Record<string, unknown> }[] = []
let answer: (response: ServerResponse) => void
let serial = 0

beforeAll(async () => {
  mosquitto = await Mosquitto.start()
  app = await startApp({ clock, config })
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      taken.push({ path: request.url ?? '', headers: request.headers, body })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  network = await mqtt.connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
    username: 'bridge',
    password: 'secret',
    reconnectPeriod: 50,
  })
  await network.subscribeAsync(['application/#', 'v3/#'], { qos: 1 })
  network.on('message', (topic, payload) => {
    published.push({ topic, body: JSON.parse(payload.toString()) })
  })
})
afterAll(async () => {
  await network.endAsync(true)
  await mosquitto[Symbol.asyncDispose]()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  taken = []
  answer = (response) => response.end()
})

const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function webhook(downlinks: 'none' | 'tts-v3' | 'chirpstack-v4', changes: object = {}) {
  const path = downlinks === 'tts-v3' ? '/api/v3/as/applications/app1/webhooks/hook1' : ''
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: `Webhook ${++serial}`,
    settings: {
      preset: downlinks === 'none' ? 'standard' : downlinks,
      downlinks,
      downlinkUrl: base() + path,
      downlinkKey: 'NNSXS.key',
      ...changes,
    },
  })
  return withOwner(connector)
}

function withOwner<T extends { id: number }>(connector: T) {
  const owner = { id: connector.id, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  return { ...connector, owner }
}

/** Posts a message to a webhook like the network server. */
async function post(connector: { key: string | null }, body: object, query = ''): Promise<void> {
  const answered = await fetch(`${app.url}/api/hooks/${connector.key}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answered.status).toBeLessThan(300)
  await app.drain()
}

const ttsIds = { device_id: 'dev1', application_ids: { application_id: 'app1' }, dev_eui: eui }
const ttsUplink = (count = 1) => ({
  end_device_ids: { ...ttsIds, dev_addr: '00BCB929' },
  received_at: clock.now().toISOString(),
  uplink_message: { session_key_id: 'AXA5', f_port: 1, f_cnt: count, frm_payload: 'gkHe' },
})
const ttsEvent = (name: string, detail: object) => ({ end_device_ids: ttsIds, [name]: detail })

/** A device of The Things Stack that has sent one uplink. */
async function ttsDevice(changes: object = {}, driverId: number | null = null) {
  const connector = await webhook('tts-v3', changes)
  const id = await createDevice(app, connector.owner, eui, driverId)
  await post(connector, ttsUplink())
  return { id, connector }
}

const own = { port: 15, payload: 'BE EF', confirmed: true }
const send = (id: number, content: object = own, more: object = {}): Promise<Downlink> =>
  app.api.downlink.send({ id, content: content as typeof own, ...more })
const newest = async (id: number): Promise<Downlink | undefined> =>
  (await app.api.downlink.list({ id })).items[0]
const nameIn = ({ body }: Taken): string => body.downlinks?.[0]?.correlation_ids[0] ?? ''

test('The Things Stack by HTTP: requested, sent, transmitted, acknowledged', async () => {
  const { id, connector } = await ttsDevice()
  const requested = await send(id)
  expect(requested).toMatchObject({ state: 'requested', payload: 'beef', requestedBy: expect.any(String) })
  await app.drain()
  expect(taken).toMatchObject([
    {
      path: '/api/v3/as/applications/app1/webhooks/hook1/devices/dev1/down/push',
      headers: { authorization: 'Bearer NNSXS.key' },
      body: { downlinks: [{ f_port: 15, frm_payload: 'vu8=', confirmed: true, priority: 'NORMAL' }] },
    },
  ])
  expect(await newest(id)).toMatchObject({ state: 'sent', attempts: 1, repeated: false, transmittedAt: null })
  const name = nameIn(taken[0] as Taken)
  const about = { session_key_id: 'x', f_port: 15, correlation_ids: ['as:downlink:01E1', name] }
  await post(connector, ttsEvent('downlink_sent', about))
  expect(await newest(id)).toMatchObject({ state: 'sent', transmittedAt: clock.now().toISOString() })
  await post(connector, ttsEvent('downlink_ack', { ...about, confirmed: true }))
  await post(connector, ttsEvent('downlink_nack', about))
  expect(await newest(id)).toMatchObject({ state: 'acknowledged', endedAt: clock.now().toISOString() })
  const { items } = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: id })
  expect(items[0]).toMatchObject({ action: 'send-downlink' })
})

test('what the network server gives up has failed, in its words', async () => {
  const { id, connector } = await ttsDevice()
  await send(id)
  await app.drain()
  const correlation_ids = [nameIn(taken[0] as Taken)]
  const error = { namespace: 'pkg/ns', name: 'too_long', message_format: 'payload too long', code: 3 }
  await post(connector, ttsEvent('downlink_failed', { downlink: { f_port: 15, correlation_ids }, error }))
  expect(await newest(id)).toMatchObject({ state: 'failed', reason: 'network', detail: 'payload too long' })
})

test('nobody hears of downlinks by what another connector is told', async () => {
  const { id } = await ttsDevice()
  await send(id)
  await app.drain()
  const other = await webhook('tts-v3')
  await post(other, ttsEvent('downlink_ack', { correlation_ids: [nameIn(taken[0] as Taken)] }))
  expect(await newest(id)).toMatchObject({ state: 'sent' })
})

test('ChirpStack by REST: the id of its queue item leads to the acknowledgement', async () => {
  const connector = await webhook('chirpstack-v4')
  const id = await createDevice(app, connector.owner, '0101010101010101')
  answer = (response) => response.end('{"id":"1bbcab1d-6ec6-4136-b3f5-d63be1dc08de"}')
  await send(id, { port: 10, payload: 'AQID', encoding: 'base64', confirmed: true })
  await app.drain()
  expect(taken).toMatchObject([
    {
      path: '/api/devices/0101010101010101/queue',
      headers: { 'grpc-metadata-authorization': 'Bearer NNSXS.key' },
      body: { queueItem: { confirmed: true, fPort: 10, data: 'AQID' } },
    },
  ])
  const deviceInfo = { devEui: '0101010101010101' }
  const queueItemId = '1bbcab1d-6ec6-4136-b3f5-d63be1dc08de'
  await post(connector, { deviceInfo, queueItemId, gatewayId: '00', fCntDown: 3 }, '?event=txack')
  expect(await newest(id)).toMatchObject({ state: 'sent', transmittedAt: expect.any(String) })
  await post(connector, { deviceInfo, queueItemId, fCntDown: 3 }, '?event=ack')
  expect(await newest(id)).toMatchObject({ state: 'failed', reason: 'notAcknowledged' })
  await post(connector, { deviceInfo, queueItemId, acknowledged: true, fCntDown: 3 }, '?event=ack')
  expect(await newest(id)).toMatchObject({ state: 'acknowledged' })

  await send(id, { port: 10, payload: '00' })
  answer = (response) => response.end('{"id":"second"}')
  await app.drain()
  const context = { queue_item_id: 'second', item_size: '1' }
  const log = { level: 'ERROR', code: 'DOWNLINK_PAYLOAD_SIZE', description: 'Too large', context }
  await post(connector, { deviceInfo, ...log }, '?event=log')
  expect(await newest(id)).toMatchObject({
    state: 'failed',
    reason: 'network',
    detail: 'DOWNLINK_PAYLOAD_SIZE: Too large',
  })
})

const mqttConnector = async (preset: 'tts-v3' | 'chirpstack-v4', topics: string[]) => {
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'mqtt-in',
    name: `Broker ${++serial}`,
    settings: {
      host: '127.0.0.1',
      port: mosquitto.port,
      username: 'bridge',
      password: 'secret',
      topics,
      preset,
      downlinks: preset,
    },
  })
  const state = async () => (await app.api.bridge.get({ id: connector.id })).state
  await expect.poll(state, soon).toBe('connected')
  return withOwner(connector)
}

const packets = async (id: number) => (await app.api.virtualdevice.get({ id })).packetCount
const stateOf = async (id: number) => {
  await app.drain()
  return (await newest(id))?.state
}

test('ChirpStack by MQTT: our id comes back in the acknowledgement', async () => {
  const devEui = '0202020202020202'
  const connector = await mqttConnector('chirpstack-v4', ['city/#'])
  const id = await createDevice(app, connector.owner, devEui)
  expect(await errorOf(send(id))).toMatchObject({
    code: 'DOWNLINK_NOT_POSSIBLE',
    data: { problem: 'noAddress' },
  })
  const deviceInfo = { applicationId: 'shared', devEui }
  const up = { deviceInfo, fPort: 1, data: 'qg==', rxInfo: [], devAddr: '00189440' }
  await network.publishAsync('city/device/event/up', JSON.stringify(up), { qos: 1 })
  await expect.poll(() => packets(id), soon).toBe(1)

  await send(id, { port: 10, payload: '010203', confirmed: true })
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'sent' })
  const queued = await app.ctx.db
    .selectFrom('downlinks')
    .select(['correlation', 'network_id'])
    .where('twin_id', '=', id)
    .executeTakeFirstOrThrow()
  expect(queued.network_id).toBe(queued.correlation)
  await expect
    .poll(() => published, soon)
    .toEqual([
      {
        topic: `application/shared/device/${devEui}/command/down`,
        body: { id: queued.correlation, devEui, confirmed: true, fPort: 10, data: 'AQID' },
      },
    ])
  const ack = { deviceInfo, queueItemId: queued.correlation, acknowledged: true, fCntDown: 3 }
  await network.publishAsync('city/device/event/ack', JSON.stringify(ack), { qos: 1 })
  await expect.poll(() => stateOf(id), soon).toBe('acknowledged')
})

test('while the broker is away a downlink waits, and goes out when it is back', async () => {
  const connector = await mqttConnector('tts-v3', ['city/#'])
  const id = await createDevice(app, connector.owner, 'dev7')
  await mosquitto.down()
  const state = async () => (await app.api.bridge.get({ id: connector.id })).state
  await expect.poll(state, soon).not.toBe('connected')
  await send(id)
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'requested', reason: 'notConnected', repeated: false })
  await mosquitto.up()
  await expect.poll(state, soon).toBe('connected')
  clock.advance(60_000)
  await expect.poll(() => stateOf(id), soon).toBe('sent')
  // The Things Stack supports no QoS: a message it received is accepted.
  await network.subscribeAsync(['application/#', 'v3/#'], { qos: 1 })
  await send(id)
  await app.drain()
  await expect
    .poll(() => published.at(-1), soon)
    .toMatchObject({
      topic: 'v3/bridge/devices/dev7/down/push',
      body: { downlinks: [{ f_port: 15, frm_payload: 'vu8=', confirmed: true }] },
    })
})

test('predefined downlinks of the driver take values, and say which does not fit', async () => {
  const driver = await app.api.devicedrivers.create({
    accountId: app.rootAccountId,
    title: 'With downlinks',
    script: 'function decodeUplink() { return { data: {} } }',
    downlinks: [
      {
        name: 'Interval',
        port: 2,
        payload: '010000',
        confirmed: true,
        gateways: ['gw1'],
        parameters: [{ key: 'minutes', type: 'integer', startBit: 8, bits: 16, min: 1, max: 1440 }],
      },
    ],
  })
  const { id } = await ttsDevice({}, driver.id)
  const offer = await app.api.downlink.offer({ id })
  expect(offer).toMatchObject({ way: 'tts-v3', problem: null, editable: true })
  expect(offer.predefined).toEqual(driver.downlinks)
  expect(await errorOf(send(id, { predefined: 'Interval', values: { minutes: 0 } }))).toMatchObject({
    code: 'DOWNLINK_INVALID',
    data: { parameter: 'minutes', fault: 'downlinkRange' },
  })
  expect(await errorOf(send(id, { predefined: 'Other' }))).toMatchObject({ code: 'DOWNLINK_NOT_FOUND' })
  await send(id, { predefined: 'Interval', values: { minutes: 600 } })
  await app.drain()
  expect(await newest(id)).toMatchObject({ name: 'Interval', port: 2, payload: '010258', confirmed: true })
  expect(taken).toMatchObject([
    { body: { downlinks: [{ class_b_c: { gateways: [{ gateway_ids: { gateway_id: 'gw1' } }] } }] } },
  ])
  const changed = await app.api.devicedrivers.update({ ...driver, downlinks: [] })
  expect(changed.versions.map(({ number }) => number)).toEqual([2, 1])
  expect((await app.api.downlink.offer({ id })).predefined).toEqual([])
})

test('one after the other, in the order they were requested', async () => {
  const { id } = await ttsDevice()
  for (const payload of ['01', '02', '03']) await send(id, { port: 1, payload })
  await app.drain()
  const sent = taken.map(({ body }) => body.downlinks?.[0])
  expect(sent).toMatchObject([{ frm_payload: 'AQ==' }, { frm_payload: 'Ag==' }, { frm_payload: 'Aw==' }])
})

test('a busy network server is asked again, one that refuses is not', async () => {
  const { id } = await ttsDevice()
  answer = (response) => response.writeHead(429).end('slow down')
  await send(id)
  await app.drain()
  expect(await newest(id)).toMatchObject({
    state: 'requested',
    reason: 'overloaded',
    detail: 'HTTP 429 slow down',
    attempts: 1,
  })
  await app.drain()
  expect(taken, 'not before its time').toHaveLength(1)
  answer = (response) => response.end()
  clock.advance(5_000)
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'sent', attempts: 2, repeated: false })

  answer = (response) => response.writeHead(403).end('{"message":"no rights"}')
  await send(id)
  await app.drain()
  expect(await newest(id)).toMatchObject({
    state: 'failed',
    reason: 'refused',
    detail: 'HTTP 403 {"message":"no rights"}',
    attempts: 1,
  })
})

test('when the server ends in the middle of an attempt, the next one is marked as repeated', async () => {
  const { id, connector } = await ttsDevice()
  const arrived = new Promise<void>((resolve) => {
    answer = () => resolve() // and never responds
  })
  await send(id)
  await arrived
  await app[Symbol.asyncDispose]()
  answer = (response) => response.end()
  app = await startApp({ clock, config, address: app.address })
  await app.drain()
  expect(taken, 'nobody knows yet that the attempt is lost').toHaveLength(1)
  expect(await newest(id)).toMatchObject({ state: 'requested', attempts: 1, repeated: false })
  expect(
    await errorOf(app.api.downlink.cancel({ id, downlinkId: (await newest(id))?.id ?? 0 })),
  ).toMatchObject({
    code: 'DOWNLINK_NOT_WAITING',
  })
  clock.advance(60_000)
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'sent', attempts: 2, repeated: true })
  expect(new Set(taken.map(nameIn)).size, 'the same name, so that both are one').toBe(1)
  await post(connector, ttsEvent('downlink_ack', { correlation_ids: [nameIn(taken[0] as Taken)] }))
  expect(await newest(id)).toMatchObject({ state: 'acknowledged', repeated: true })
})

test('a report that arrives before the answer saves the second attempt', async () => {
  const { id, connector } = await ttsDevice()
  answer = (response) => response.writeHead(502).end()
  await send(id)
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'requested', reason: 'noAnswer' })
  await post(connector, ttsEvent('downlink_queued', { correlation_ids: [nameIn(taken[0] as Taken)] }))
  clock.advance(60_000)
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'sent', attempts: 1, repeated: false })
  expect(taken).toHaveLength(1)
})

test('what waits can be withdrawn, and time ends what waits and what is not confirmed', async () => {
  const { id } = await ttsDevice()
  answer = (response) => response.writeHead(503).end()
  const { id: downlinkId } = await send(id)
  await app.drain()
  await app.api.downlink.cancel({ id, downlinkId })
  expect(await newest(id)).toMatchObject({ state: 'cancelled' })
  expect(await errorOf(app.api.downlink.cancel({ id, downlinkId }))).toMatchObject({
    code: 'DOWNLINK_NOT_WAITING',
    data: { state: 'cancelled' },
  })
  await send(id, own, { validMinutes: 1 })
  clock.advance(60_000)
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'expired', reason: expect.any(String) })
  answer = (response) => response.end()
  await send(id, own, { validMinutes: 5 })
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'sent' })
  clock.advance(300_000)
  await app.drain()
  expect(await newest(id)).toMatchObject({ state: 'expired', reason: 'notAcknowledged' })
})

test('says why nothing can be sent, and what is no payload', async () => {
  const { id, connector } = await ttsDevice()
  expect(await errorOf(send(id, { port: 1, payload: 'xyz' }))).toMatchObject({
    code: 'DOWNLINK_INVALID',
    data: { fault: 'downlinkHex' },
  })
  expect(await errorOf(send(id, { port: 0, payload: '00' }))).toMatchObject({
    code: 'PARAMETER_VALIDATION_ERROR',
  })
  await app.api.virtualdevice.setDisabled({ id, flag: true })
  expect(await app.api.downlink.offer({ id })).toMatchObject({ problem: 'deviceDisabled' })
  await app.api.bridge.update({ ...connector, settings: { ...connector.settings }, enabled: false })
  expect(await app.api.downlink.offer({ id })).toMatchObject({ problem: 'connectorDisabled' })
  const none = await webhook('none')
  const silent = await createDevice(app, none.owner, 'silent', await createDriver(app, ''))
  expect(await app.api.downlink.offer({ id: silent })).toMatchObject({ way: 'none', problem: 'noWay' })
  expect(await errorOf(send(silent))).toMatchObject({
    code: 'DOWNLINK_NOT_POSSIBLE',
    data: { problem: 'noWay' },
  })
})

test('the queue of a device has a bound', async () => {
  const { id } = await ttsDevice()
  answer = (response) => response.writeHead(503).end()
  for (let count = 0; count < 20; count++) await send(id)
  expect(await errorOf(send(id))).toMatchObject({
    code: 'DOWNLINK_QUEUE_FULL',
    data: { of: 'device', max: 20 },
  })
})

test('the key is kept encrypted, never shown, and not sent to another address', async () => {
  const connector = await webhook('tts-v3')
  expect(connector.settings).toMatchObject({ downlinkKey: '' })
  const row = await app.ctx.db
    .selectFrom('connectors')
    .select('settings')
    .where('id', '=', connector.id)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row.settings)).not.toContain('NNSXS')
  const elsewhere = { ...connector.settings, downlinkUrl: 'http://127.0.0.1:1/' }
  expect(await errorOf(app.api.bridge.update({ ...connector, settings: elsewhere }))).toMatchObject({
    code: 'BRIDGE_INVALID_SETTINGS',
    data: { checks: [{ ok: true }, { name: 'downlinkKey', ok: false }] },
  })
  const forbidden = await errorOf(webhook('tts-v3', { downlinkUrl: 'http://10.0.0.1/' }))
  expect(forbidden).toMatchObject({ code: 'BRIDGE_INVALID_SETTINGS' })
  for (const downlinkUrl of ['nowhere', 'http://[', 'ftp://a.example'])
    expect(await errorOf(webhook('tts-v3', { downlinkUrl }))).toMatchObject({
      code: 'BRIDGE_INVALID_SETTINGS',
    })
})

test('a connector from before there were downlinks can be changed', async () => {
  const { id } = await createConnector(app)
  const before = await app.api.bridge.get({ id })
  const settings = { ...before.settings, downlinks: 'tts-v3', downlinkUrl: base(), downlinkKey: 'key' }
  expect(await app.api.bridge.update({ ...before, settings })).toMatchObject({
    settings: { downlinks: 'tts-v3' },
  })
})

test('who may only read sees the queue, and others nothing', async () => {
  const { id } = await ttsDevice()
  const root = { id: app.rootAccountId, scopeId: app.rootScopeId }
  const viewer = await createUser(app, root, [{ roleId: await roleNamed(app, 'Viewer') }])
  const { id: downlinkId } = await send(id)
  expect((await viewer.api.downlink.list({ id })).items).toHaveLength(1)
  expect(await viewer.api.downlink.offer({ id })).toMatchObject({ editable: false })
  expect(await errorOf(viewer.api.downlink.send({ id, content: own }))).toMatchObject({
    code: 'NO_PERMISSION',
  })
  expect(await errorOf(viewer.api.downlink.cancel({ id, downlinkId }))).toMatchObject({
    code: 'NO_PERMISSION',
  })
  const account = await createAccount(app)
  const stranger = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
  expect(await errorOf(stranger.api.downlink.list({ id }))).toMatchObject({ code: 'VDEVICE_NOT_FOUND' })
  expect(await errorOf(stranger.api.downlink.send({ id, content: own }))).toMatchObject({
    code: 'VDEVICE_NOT_FOUND',
  })
})
