import { connect } from 'node:net'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { Mosquitto } from '../../../../test/mosquitto.ts'
import { createDevice } from '../../../../test/pipeline.ts'
import { ingestLimits } from '../../ingest/index.ts'
import { turnstileLimits } from './turnstile.ts'

const { burstSeconds } = turnstileLimits
const soon = { timeout: 60_000 }
const clock = new FakeClock()
const password = 'correct horse'
let app: TestApp
let mosquitto: Mosquitto
let serial = 0
let account: { id: number; scopeId: number }

beforeAll(async () => {
  mosquitto = await Mosquitto.start()
  app = await startApp({ clock, config: { allowedNetworks: ['127.0.0.0/8'] } })
})
afterAll(() => mosquitto[Symbol.asyncDispose]())
beforeEach(async () => {
  account = await createAccount(app)
})

async function webhook(messagesPerSecond: number | null, owner = account) {
  const connector = await app.api.bridge.create({
    accountId: owner.id,
    kind: 'webhook-in',
    name: `Webhook ${++serial}`,
    settings: { messagesPerSecond },
  })
  const device = await createDevice(
    app,
    { id: connector.id, accountId: owner.id, scopeId: owner.scopeId },
    'dev',
  )
  return { ...connector, device, path: `/api/hooks/${connector.key}` }
}

const uplink = (n: number, count = 1) =>
  JSON.stringify(Array.from({ length: count }, (_, k) => ({ identifier: 'dev', data: { n: n + k } })))

async function post({ path }: { path: string }, body = uplink(0)) {
  const reply = await fetch(app.url + path, { method: 'POST', body })
  return { status: reply.status, headers: reply.headers, answer: await reply.json() }
}

/** The answers of the server to what a client sends, until the server closes the connection. */
function say(sent: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(sent))
  let answer = ''
  return new Promise((resolve, reject) => {
    socket.setTimeout(10_000, () => reject(new Error(`The connection stays open after: ${answer}`)))
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1')
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(answer))
  })
}

/** Number of messages accepted until the first is refused. */
async function taken(hook: { path: string }): Promise<number> {
  let count = 0
  while ((await post(hook, uplink(count))).status === 200) count++
  return count
}

const setAccountLimit = async (messagesPerSecond: number | null, api = app.api) => {
  const { items } = await api.tenant.fetchAll()
  const version = items.find(({ id }) => id === account.id)?.version ?? 0
  const tenant = await api.tenant.setLimits({ id: account.id, version, messagesPerSecond })
  await app.drain()
  return tenant
}

const numbersOf = async (deviceId: number) =>
  (
    await app.ctx.db
      .selectFrom('packets')
      .select('payload')
      .where('device_id', '=', deviceId)
      .orderBy('id')
      .execute()
  ).map(({ payload }) => JSON.parse(payload).n as number)

const logs = async (id: number) => (await app.api.bridge.logs({ id })).items
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('a webhook above its limit', () => {
  test('answers 429 with the name and value of the limit, and takes more after a while', async () => {
    const hook = await webhook(2)
    expect(await taken(hook)).toBe(2 * burstSeconds)
    const { status, headers, answer } = await post(hook)
    expect({ status, answer }).toMatchObject({
      status: 429,
      answer: {
        code: 'TOO_MANY_REQUESTS',
        data: { limit: 'connector.messagesPerSecond', value: 2, retryAfterSeconds: 1 },
      },
    })
    expect(Object.fromEntries(headers)).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(clock.now().getTime() / 1000 + 1),
    })
    clock.advance(1000)
    expect(await taken(hook)).toBe(2)
    expect((await numbersOf(hook.device)).length).toBe(2 * burstSeconds + 2)
  })

  test('is answered before a large body is sent, whose rest is not read', async () => {
    const hook = await webhook(1)
    await taken(hook)
    const start = `POST ${hook.path} HTTP/1.1\r\nhost: x\r\n`
    const sized = await say(`${start}content-length: 1000000\r\n\r\n{"identifier":`)
    expect(sized).toMatch(/^HTTP\/1\.1 429/)
    expect(sized).toMatch(/\r\nconnection: close\r\n/i)
    expect(await say(`${start}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`)).toMatch(/^HTTP\/1\.1 429/)
    const small = `${start}content-length: 2\r\n\r\n{}`
    const last = small.replace('host: x', 'host: x\r\nconnection: close')
    expect((await say(small + last)).match(/HTTP\/1\.1 429/g)).toHaveLength(2)
  })

  test('stands in the status log once, and is counted each time', async () => {
    const hook = await webhook(1)
    await taken(hook)
    await post(hook)
    await app.drain()
    expect(await logs(hook.id)).toMatchObject([
      { level: 'warning', event: 'limit-reached', message: expect.stringContaining('More than 1 messages') },
      { event: 'listening' },
    ])
    const { refusals } = await app.api.letters.list({ id: hook.id })
    expect(refusals).toMatchObject([{ reason: 'TOO_MANY_REQUESTS', count: 2 }])
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(
      /leitstand_limits_reached_total\{limit="connector.messagesPerSecond",answer="refused"\} [1-9]/,
    )
  })

  test('pays for every packet of an array', async () => {
    const hook = await webhook(2)
    expect((await post(hook, uplink(0, 2 * burstSeconds + 2))).status).toBe(200)
    expect(await post(hook)).toMatchObject({ status: 429, answer: { data: { retryAfterSeconds: 2 } } })
    clock.advance(1500)
    expect((await post(hook)).status).toBe(200)
  })

  test('a changed limit counts at once, without one there is none', async () => {
    const { id, version, name, ...hook } = await webhook(1)
    await taken(hook)
    const settings = { messagesPerSecond: null }
    await app.api.bridge.update({ id, version, name, settings })
    for (let n = 0; n < 20; n++) expect((await post(hook, uplink(n))).status).toBe(200)
    expect((await logs(id)).filter(({ event }) => event === 'listening')).toHaveLength(1)
  })
})

describe('the limit of an account', () => {
  test('counts for all its connectors together, and for nobody else', async () => {
    const [one, two] = [await webhook(null), await webhook(1000)]
    const other = await webhook(null, { id: app.rootAccountId, scopeId: app.rootScopeId })
    expect(await setAccountLimit(2)).toMatchObject({ messagesPerSecond: 2 })
    expect((await post(two)).status).toBe(200)
    expect(await taken(one)).toBe(2 * burstSeconds - 1)
    expect(await post(two)).toMatchObject({
      status: 429,
      answer: { data: { limit: 'account.messagesPerSecond', value: 2 } },
    })
    expect((await post(other)).status).toBe(200)
    await setAccountLimit(null)
    expect((await post(one, uplink(99))).status).toBe(200)
  })

  test('is set by administrators of the platform only, with an entry in the activity log', async () => {
    const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
    expect(await errorOf(setAccountLimit(5, admin.api))).toMatchObject({ code: 'NO_PERMISSION', status: 403 })
    const { version } = await setAccountLimit(5)
    expect((await app.api.activityLog.list({ subject: 'Tenant' })).items[0]).toMatchObject({
      action: 'update',
      objectId: account.id,
      changes: { messagesPerSecond: [null, 5] },
    })
    const old = { id: account.id, version: version - 1, messagesPerSecond: 6 }
    expect(await errorOf(app.api.tenant.setLimits(old))).toMatchObject({ code: 'VERSION_CONFLICT' })
    const negative = { id: account.id, version, messagesPerSecond: -1 }
    expect(await errorOf(app.api.tenant.setLimits(negative))).toMatchObject({ status: 400 })
    const nobody = { id: 999_999, version: 1, messagesPerSecond: 6 }
    expect(await errorOf(app.api.tenant.setLimits(nobody))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    const seen = await admin.api.tenant.fetchAll()
    expect(seen.items).toMatchObject([{ id: account.id, messagesPerSecond: 5 }])
  })

  test('comes from the environment where it has none; 0 lifts it', async () => {
    await using limited = await startApp({ clock, config: { accountMessagesPerSecond: 1 } })
    const [mine, its] = [app, account]
    try {
      app = limited
      account = await createAccount(app)
      const hook = await webhook(null)
      expect(await taken(hook)).toBe(burstSeconds)
      await setAccountLimit(0)
      for (let n = 0; n < 20; n++) expect((await post(hook, uplink(n))).status).toBe(200)
    } finally {
      ;[app, account] = [mine, its]
    }
  })
})

describe('MQTT above a limit', () => {
  const count = burstSeconds + 7

  /** Advances the clock of the limit until everything has arrived. */
  async function arrivesInTime(device: number) {
    await expect.poll(() => numbersOf(device), soon).toEqual(numbers(burstSeconds))
    await expect
      .poll(() => {
        clock.advance(1000)
        return numbersOf(device)
      }, soon)
      .toEqual(numbers(count))
  }

  const publishAll = (client: MqttClient, topic: string) =>
    Promise.all(
      numbers(count).map((n) =>
        client.publishAsync(topic, JSON.stringify({ identifier: 'dev', data: { n } }), { qos: 1 }),
      ),
    )

  test('waits at the built-in broker: no error, and everything arrives in order', async () => {
    const username = `city-${++serial}`
    const connector = await app.api.bridge.create({
      accountId: account.id,
      kind: 'mqtt-broker',
      name: username,
      settings: { username, password, messagesPerSecond: 1 },
    })
    const owner = { id: connector.id, accountId: account.id, scopeId: account.scopeId }
    const device = await createDevice(app, owner, 'dev')
    const address = connector.endpoints[0]?.replace('localhost', '127.0.0.1') ?? ''
    const client = await mqtt.connectAsync(address, { username, password, reconnectPeriod: 0 })
    const sent = publishAll(client, `${username}/dev`)
    await arrivesInTime(device)
    await sent
    expect((await logs(connector.id)).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['limit-reached', 'connected', 'listening']),
    )
    await client.endAsync()
  })

  test('a message sent again after a timeout is stored once', async () => {
    const username = `city-${++serial}`
    const connector = await app.api.bridge.create({
      accountId: account.id,
      kind: 'mqtt-broker',
      name: username,
      settings: { username, password, messagesPerSecond: 1 },
    })
    const owner = { id: connector.id, accountId: account.id, scopeId: account.scopeId }
    const device = await createDevice(app, owner, 'dev')
    const address = connector.endpoints[0]?.replace('localhost', '127.0.0.1') ?? ''
    const join = () => mqtt.connectAsync(address, { username, password, reconnectPeriod: 0 })
    const body = (n: number) => JSON.stringify({ identifier: 'dev', data: { n } })
    const first = await join()
    for (const n of numbers(burstSeconds)) await first.publishAsync(`${username}/dev`, body(n), { qos: 1 })
    const waiting = first.publishAsync(`${username}/dev`, body(burstSeconds), { qos: 1 }).catch(() => 'again')
    await expect.poll(async () => (await logs(connector.id))[0]?.event, soon).toBe('limit-reached')
    await first.endAsync(true)
    await expect.poll(async () => (await logs(connector.id))[0]?.event, soon).toBe('disconnected')
    const second = await join()
    const again = second.publishAsync(`${username}/dev`, body(burstSeconds), { qos: 1 })
    clock.advance(10_000)
    await again
    await second.publishAsync(`${username}/dev`, body(burstSeconds + 1), { qos: 1 })
    expect(await numbersOf(device)).toEqual(numbers(burstSeconds + 2))
    await Promise.all([waiting, second.endAsync()])
  })

  test('waits at a foreign broker, which keeps what we do not read', async () => {
    const settings = { host: '127.0.0.1', port: mosquitto.port, username: 'bridge', password: 'secret' }
    const connector = await app.api.bridge.create({
      accountId: account.id,
      kind: 'mqtt-in',
      name: `Foreign ${++serial}`,
      settings: { ...settings, topics: ['city/+/up'], messagesPerSecond: 1 },
    })
    const device = await createDevice(
      app,
      { id: connector.id, accountId: account.id, scopeId: account.scopeId },
      'dev',
    )
    await expect
      .poll(async () => (await app.api.bridge.get({ id: connector.id })).state, soon)
      .toBe('connected')
    const sender = await mqtt.connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
      username: 'bridge',
      password: 'secret',
      reconnectPeriod: 0,
    })
    await publishAll(sender, 'city/dev/up')
    await arrivesInTime(device)
    await sender.endAsync()
  })
})

test('with the lane of one account full, the message of another is stored next', async () => {
  const [flooding, quiet] = [await webhook(null), await webhook(null, await createAccount(app))]
  const from = ({ id, accountId }: { id: number; accountId: number }, n: number) =>
    app.app.ingest.submit({
      connector: { id, accountId },
      packets: [{ identifier: 'dev', data: { n } }],
      raw: '{}',
      receivedAt: new Date(),
    })
  const flood = numbers(ingestLimits.lane.items).map((n) => from(flooding, n))
  // one batch is being stored, and the next is prepared
  await flood[0]
  const refill = numbers(ingestLimits.batchMax).map((n) => from(flooding, ingestLimits.lane.items + n))
  expect(app.app.ingest.hasRoom(quiet)).toBe(true)
  await from(quiet, 0)
  const row = await app.ctx.db
    .selectFrom('packets')
    .select('id')
    .where('device_id', '=', quiet.device)
    .executeTakeFirstOrThrow()
  await Promise.all([...flood, ...refill])
  const { before } = await app.ctx.db
    .selectFrom('packets')
    .select((of) => of.fn.countAll<number>().as('before'))
    .where('device_id', '=', flooding.device)
    .where('id', '<', row.id)
    .executeTakeFirstOrThrow()
  // what was stored or taken before it came, and its own batch
  expect(Number(before)).toBeLessThanOrEqual(4 * ingestLimits.batchMax)
})
