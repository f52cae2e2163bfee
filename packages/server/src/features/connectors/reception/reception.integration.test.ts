import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { Mosquitto } from '../../../../test/mosquitto.ts'
import { createDevice } from '../../../../test/pipeline.ts'

const soon = { timeout: 60_000 }
const clock = new FakeClock()
let app: TestApp
let mosquitto: Mosquitto
/** sees the devices of the account, and manages nothing */
let operator: Api
let account: { id: number; scopeId: number }

beforeAll(async () => {
  mosquitto = await Mosquitto.start()
  app = await startApp({ clock, config: { allowedNetworks: ['127.0.0.0/8'] } })
  account = await createAccount(app)
  const roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
  operator = (await createUser(app, account, [{ roleId }])).api
})
afterAll(() => mosquitto[Symbol.asyncDispose]())

const deviceOf = (connectorId: number, externalId: string, owner = account) =>
  createDevice(app, { id: connectorId, accountId: owner.id, scopeId: owner.scopeId }, externalId)

test('an operator hears what the connector of a device turned away, and which limit did', async () => {
  const connector = await app.api.bridge.create({
    accountId: account.id,
    kind: 'webhook-in',
    name: 'Street hook',
    settings: { messagesPerSecond: 1 },
  })
  const id = await deviceOf(connector.id, 'Lamp-1')
  expect(await operator.bridge.reception({ id })).toEqual({
    connector: {
      name: 'Street hook',
      kind: 'webhook-in',
      enabled: true,
      state: 'listening',
      stateMessage: '',
      stateAt: expect.any(String),
      lastMessageAt: null,
      lastError: null,
    },
    refused: [],
    limits: [],
    limitReachedAt: null,
  })
  const post = (body: object) =>
    fetch(`${app.url}/api/hooks/${connector.key}`, { method: 'POST', body: JSON.stringify(body) })
  const old = { identifier: 'lamp:1', data: { n: 1 }, time: '2001-01-01T00:00:00Z' }
  await post(old)
  await post({ ...old, identifier: 'another' })
  const lastMessageAt = clock.now().toISOString()
  while ((await post(old)).status !== 429) clock.advance(1)
  const told = await operator.bridge.reception({ id })
  expect(told).toMatchObject({
    connector: { lastMessageAt: expect.any(String) },
    refused: [{ reason: 'PACKET_TOO_OLD' }],
    limits: [{ reason: 'TOO_MANY_REQUESTS', count: 1, lastAt: expect.any(String) }],
    limitReachedAt: expect.any(String),
  })
  expect(Date.parse(told.connector.lastMessageAt ?? '')).toBeGreaterThanOrEqual(Date.parse(lastMessageAt))
  expect(JSON.stringify(told)).not.toContain(connector.key)
})

test('an operator hears that the broker is away, and nothing of its password', async () => {
  const connector = await app.api.bridge.create({
    accountId: account.id,
    kind: 'mqtt-in',
    name: 'City broker',
    settings: {
      host: '127.0.0.1',
      port: mosquitto.port,
      username: 'bridge',
      password: 'secret',
      topics: ['city/#'],
    },
  })
  const id = await deviceOf(connector.id, 'Lamp-2')
  const stateOf = async () => (await operator.bridge.reception({ id })).connector
  await expect.poll(async () => (await stateOf()).state, soon).toBe('connected')
  await mosquitto.down()
  await expect.poll(async () => (await stateOf()).state, soon).toBe('error')
  const { stateMessage, lastError } = await stateOf()
  expect(lastError).toMatchObject({ message: stateMessage })
  expect(stateMessage).toContain('nothing listens there')
  await mosquitto.up()
  await expect.poll(async () => (await stateOf()).state, soon).toBe('connected')
  // what was wrong before stays known
  expect((await stateOf()).lastError).not.toBeNull()
  await app.api.bridge.update({ ...connector, settings: connector.settings, enabled: false })
  expect(await stateOf()).toMatchObject({ enabled: false, state: 'disabled' })
})

test('devices of others are as if they were not there', async () => {
  const other = await createAccount(app)
  const connector = await app.api.bridge.create({
    accountId: other.id,
    kind: 'webhook-in',
    name: 'Theirs',
    settings: {},
  })
  const id = await deviceOf(connector.id, 'Lamp-3', other)
  expect(await errorOf(operator.bridge.reception({ id }))).toMatchObject({ code: 'VDEVICE_NOT_FOUND' })
})
