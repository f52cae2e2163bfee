import type { RuleAction } from '@leitstand/contract/rules'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { Mosquitto } from '../../../../test/mosquitto.ts'
import { startReceiver, type TestReceiver } from '../../../../test/receiver.ts'
import { minute, ruleKit, storedEvent } from '../../../../test/rules.ts'
import { createState, createTwin } from '../../../../test/twins.ts'
import { messageRates } from './connectors.ts'
import { attemptBounds, waitAfter } from './deliveries/follow.ts'

const clock = new FakeClock(new Date())
let app: TestApp
let receiver: TestReceiver
let mosquitto: Mosquitto
let listener: MqttClient
const published: { topic: string; payload: string }[] = []

beforeAll(async () => {
  receiver = await startReceiver()
  mosquitto = await Mosquitto.start()
  app = await startApp({ clock, config: { allowedNetworks: ['127.0.0.1'] } })
  listener = await mqtt.connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
    username: 'bridge',
    password: 'secret',
  })
  await listener.subscribeAsync('shared/#', { qos: 1 })
  listener.on('message', (topic, payload) => published.push({ topic, payload: payload.toString() }))
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await listener.endAsync(true)
  await mosquitto[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.answer = undefined
})

let serial = 0
type Account = Awaited<ReturnType<typeof createAccount>>

function outgoing(accountId: number, settings: object = {}) {
  return app.api.bridge.create({
    accountId,
    kind: 'webhook-out',
    name: `Control room ${++serial}`,
    settings: { url: `${receiver.url}/hook?to=1`, ...settings },
  })
}

function broker(accountId: number) {
  return app.api.bridge.create({
    accountId,
    kind: 'mqtt-in',
    name: `Broker ${++serial}`,
    settings: {
      host: '127.0.0.1',
      port: mosquitto.port,
      username: 'bridge',
      password: 'secret',
      topics: [`shared/in${serial}`],
    },
  })
}

const hook = (connectorId: number, change: object = {}): RuleAction => ({
  kind: 'webhook',
  connectorId,
  format: 'standard',
  text: '',
  ...change,
})
const command = (connectorId: number, change: object = {}): RuleAction => ({
  kind: 'connector-command',
  connectorId,
  topic: 'shared/{{temperature}}/set',
  format: 'json',
  payload: '{"on": true, "because": {{temperature}}}',
  ...change,
})

/** A rule with actions, and what makes it fire once more. */
async function acting(account: Account, actions: RuleAction[]) {
  const kit = ruleKit(app, account)
  const { rule, temperature, twin } = await kit.warmRule(() => actions)
  let at = 0
  const fire = () => kit.set(temperature, 31 + at, minute(at++))
  const last = async () => (await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.actions[0]
  const failures = async () =>
    (await app.api.ddr.errornousExecutions({ accountIds: [account.id] })).items.filter(
      ({ ruleId }) => ruleId === rule.id,
    ).length
  return { rule, twin, temperature, fire, last, failures }
}

const later = async (ms: number) => {
  clock.advance(ms)
  await app.drain()
}

describe('a webhook', () => {
  test('sends the rule, the twin, the time and the values, signed in with the header of the connector', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id, {
      headerName: 'Authorization',
      headerValue: 'Bearer s3cret',
    })
    const { rule, twin, fire, last, failures } = await acting(account, [hook(connector.id)])
    await fire()
    const [request, ...more] = receiver.received
    expect(more).toEqual([])
    expect(request).toMatchObject({ method: 'POST', path: '/hook?to=1' })
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer s3cret',
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual({
      rule: { id: rule.id, title: 'Too warm' },
      twin: { id: twin.id, title: twin.title },
      time: expect.any(String),
      values: { temperature: 31 },
    })
    expect(await last()).toEqual({
      kind: 'webhook',
      ok: true,
      detail: '',
      deliveries: [{ to: connector.name, outcome: 'sent', reason: null, detail: '' }],
    })
    expect(await failures()).toBe(0)
    expect(await app.api.bridge.get({ id: connector.id })).toMatchObject({
      state: 'connected',
      settings: { headerName: 'authorization' },
    })
    expect(JSON.stringify(await app.api.bridge.get({ id: connector.id }))).not.toContain('s3cret')
  })

  test('sends JSON and texts of its own; values cannot break out of either', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id, { method: 'PUT' })
    const { id: dtwinId } = await createTwin(app, account, { title: 'Room "1"\\' })
    const stateId = await createState(app, dtwinId, 'word', { valueType: 'text' })
    await app.api.ddr.create({
      dtwinId,
      title: 'Word',
      metrics: [{ alias: 'word', stateId, operation: 'latest' }],
      conditions: { op: 'not', condition: { op: 'eq', left: { metric: 'word' }, right: { value: '' } } },
      actions: [
        hook(connector.id, { format: 'json', text: '{"w": {{word}}, "t": "{{word}} {{twin.title}}"}' }),
        hook(connector.id, { format: 'text', text: 'It is {{word}}.' }),
      ],
    })
    const word = 'a", "admin": true, "b": "\r\nX-Evil: 1\r\n\r\n'
    await ruleKit(app, account).set(stateId, word, minute(0))
    expect(receiver.received).toHaveLength(2)
    // They are sent at once, and arrive in any order.
    const isText = ({ headers }: (typeof receiver.received)[number]) =>
      String(headers['content-type']).startsWith('text/plain')
    const text = receiver.received.find(isText)
    const json = receiver.received.find((request) => !isText(request))
    expect(json?.method).toBe('PUT')
    expect(JSON.parse(json?.body.toString() ?? '')).toEqual({
      w: word,
      t: 'a", "admin": true, "b": " X-Evil: 1  Room "1"\\',
    })
    expect(text?.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8' })
    expect(text?.body.toString()).toBe('It is a", "admin": true, "b": " X-Evil: 1 .')
    for (const { headers } of receiver.received) expect(headers).not.toHaveProperty('x-evil')
  })

  test('is tried again while the other side cannot take it, with the same key, and shown as waiting', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const { fire, last, failures } = await acting(account, [hook(connector.id)])
    receiver.answer = (response) => response.writeHead(503).end('secret of the inside')
    await fire()
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'queued', reason: 'overloaded', detail: 'HTTP 503' }],
    })
    expect(await failures()).toBe(0)
    expect(await app.api.bridge.get({ id: connector.id })).toMatchObject({ state: 'error' })
    receiver.answer = undefined
    await later(waitAfter(1))
    expect(await last()).toMatchObject({ ok: true, deliveries: [{ outcome: 'sent', detail: '' }] })
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
    expect(await failures()).toBe(0)
  })

  test('is given up after the last attempt, and the execution counts as failed', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const { fire, last, failures } = await acting(account, [hook(connector.id)])
    receiver.answer = (response) => response.writeHead(500).end()
    await fire()
    for (let made = 1; made < attemptBounds.max; made++) await later(waitAfter(made))
    expect(receiver.received).toHaveLength(attemptBounds.max)
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'failed', reason: 'refused', detail: 'HTTP 500' }],
    })
    expect(await failures()).toBe(1)
    await later(waitAfter(attemptBounds.max))
    expect(receiver.received).toHaveLength(attemptBounds.max)
  })

  test('that is refused is not repeated, nor one of which nobody knows whether it arrived', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const { fire, last, failures } = await acting(account, [hook(connector.id)])
    receiver.answer = (response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end()
    await fire()
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'failed', detail: 'HTTP 302' }] })
    receiver.answer = (response) => response.socket?.destroy()
    await fire()
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'uncertain', reason: 'noAnswer' }],
    })
    await later(86_400_000)
    expect(receiver.received).toHaveLength(2)
    expect(await failures()).toBe(2)
  })

  test('that was under way when the server stopped is uncertain, not repeated', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const { fire, last } = await acting(account, [hook(connector.id)])
    receiver.answer = (response) => response.writeHead(503).end()
    await fire()
    receiver.answer = undefined
    // As a crash leaves it: the attempt is recorded, its result is not.
    const until = new Date(clock.now().getTime() + 60_000)
    await app.ctx.db
      .updateTable('rule_deliveries')
      .set({ attempt_until: until, next_attempt_at: until, attempts: 2 })
      .where('connector_id', '=', connector.id)
      .execute()
    await later(59_000)
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'queued' }] })
    await later(1_000)
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'uncertain', reason: 'interrupted' }] })
    expect(receiver.received).toHaveLength(1)
  })

  test('waits while its connector is disabled, and ends with it', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const { fire, last, failures, rule } = await acting(account, [hook(connector.id)])
    const { version } = await app.api.bridge.get({ id: connector.id })
    await app.api.bridge.update({ ...connector, version, enabled: false })
    await fire()
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'queued', reason: 'connectorDisabled' }] })
    expect((await app.api.objects.usersOfConnector({ id: connector.id })).items).toMatchObject([
      { kind: 'rule', id: rule.id, notes: ['sends'] },
    ])
    await app.api.bridge.delete({ id: connector.id })
    await later(waitAfter(1))
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'failed', reason: 'connectorDeleted' }] })
    await fire()
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ to: '', outcome: 'impossible', reason: 'connectorDeleted' }],
    })
    expect(await failures()).toBe(2)
    expect(receiver.received).toEqual([])
  })

  test('cannot be larger than 64 KB', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const text = Array.from({ length: 80 }, () => '{{big}}').join('')
    const kit = ruleKit(app, account)
    const { id: dtwinId } = await createTwin(app, account, { title: 'Big' })
    const stateId = await createState(app, dtwinId, 'big', { valueType: 'text' })
    const rule = await app.api.ddr.create({
      dtwinId,
      title: 'Big',
      metrics: [{ alias: 'big', stateId, operation: 'latest' }],
      conditions: { op: 'not', condition: { op: 'eq', left: { metric: 'big' }, right: { value: '' } } },
      actions: [
        hook(connector.id, { format: 'text', text }),
        command((await broker(account.id)).id, {
          topic: 'big',
          payload: text,
          format: 'text',
        }),
      ],
    })
    await kit.set(stateId, 'x'.repeat(1000), minute(0))
    const [execution] = (await app.api.ddr.executionHistory({ id: rule.id })).items
    expect(execution?.actions).toMatchObject([
      { ok: false, deliveries: [{ outcome: 'impossible', reason: 'tooLarge' }] },
      { ok: false, deliveries: [{ outcome: 'impossible', reason: 'tooLarge' }] },
    ])
  })
})

describe('ten thousand fires in a minute', () => {
  test('send what the limits allow, and record the rest as held back', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const { rule, twin, temperature } = await acting(account, [hook(connector.id)])
    const at = clock.now()
    const events = Array.from({ length: 10_000 }, (_, index) =>
      storedEvent(50_000_000 + index, at, temperature, twin.id, 40 + index),
    )
    for (let index = 0; index < events.length; index += 500)
      await app.app.rules.handle(events.slice(index, index + 500))
    await app.drain()
    expect(receiver.received).toHaveLength(messageRates.rule.burst)
    const { items, total } = await app.api.ddr.executionHistory({ id: rule.id, limit: 1 })
    expect(total).toBe(10_000)
    expect(items[0]?.actions).toMatchObject([{ ok: false, deliveries: [{ outcome: 'ruleLimit' }] }])
    await app.ctx.limitHits.write()
    const { items: hits } = await app.api.tenant.limitHits({ id: account.id })
    expect(hits).toMatchObject([
      { limit: 'ruleMessages', times: 10_000 - messageRates.rule.burst, detail: 'Too warm' },
    ])
  })
})

describe('a command', () => {
  test('is published through the connection of the connector', async () => {
    const account = await createAccount(app)
    const connector = await broker(account.id)
    const { fire, last } = await acting(account, [command(connector.id)])
    await fire()
    const topic = 'shared/31/set'
    expect(await last()).toEqual({
      kind: 'connector-command',
      ok: true,
      detail: topic,
      deliveries: [{ to: connector.name, outcome: 'sent', reason: null, detail: '' }],
    })
    await expect
      .poll(() => published)
      .toContainEqual({
        topic,
        payload: '{"on": true, "because": 31}',
      })
  })

  test('waits for the connection', async () => {
    const account = await createAccount(app)
    const connector = await broker(account.id)
    const { fire, last } = await acting(account, [command(connector.id)])
    const { version } = await app.api.bridge.get({ id: connector.id })
    const paused = await app.api.bridge.update({ ...connector, version, enabled: false })
    await fire()
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'queued', reason: 'connectorDisabled' }] })
    await app.api.bridge.update({ ...connector, version: paused.version, enabled: true })
    await expect.poll(async () => (await app.api.bridge.get({ id: connector.id })).state).toBe('connected')
    await later(waitAfter(1))
    expect(await last()).toMatchObject({ ok: true, deliveries: [{ outcome: 'sent' }] })
  })

  test('reaches the devices of the built-in broker that listen, of this connector only', async () => {
    const account = await createAccount(app)
    const own = async (username: string) =>
      app.api.bridge.create({
        accountId: account.id,
        kind: 'mqtt-broker',
        name: username,
        settings: { username, password: 'a long password', subscribeTopics: ['shared/+/set'] },
      })
    const [press, other] = [await own('press'), await own('other')]
    const connect = (username: string) =>
      mqtt.connectAsync((press.endpoints[0] ?? '').replace('localhost', '127.0.0.1'), {
        username,
        password: 'a long password',
      })
    const { fire, last } = await acting(account, [command(press.id)])
    await fire()
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'queued', reason: 'notConnected' }] })
    const heard: string[] = []
    const clients = [await connect('press'), await connect('other')]
    for (const client of clients) {
      await client.subscribeAsync('shared/+/set', { qos: 1 })
      client.on('message', (topic, payload) => heard.push(`${client.options.username} ${topic} ${payload}`))
    }
    await later(waitAfter(1))
    expect(await last()).toMatchObject({ ok: true, deliveries: [{ to: 'press', outcome: 'sent' }] })
    await expect.poll(() => heard).toEqual(['press shared/31/set {"on": true, "because": 31}'])
    for (const client of clients) await client.endAsync(true)
    const outside = await acting(account, [command(other.id, { topic: 'elsewhere' })])
    await outside.fire()
    expect(await outside.last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'impossible', reason: 'topicForbidden' }],
    })
  })

  test.each([['a/+'], ['a/#'], ['$SYS/x'], ['a\0']])('cannot have the topic %j', async (topic) => {
    const account = await createAccount(app)
    const connector = await broker(account.id)
    expect(await errorOf(acting(account, [command(connector.id, { topic })]))).toMatchObject({ status: 400 })
  })
})

describe('connectors of others', () => {
  const path = ['actions', '0', 'connectorId']

  test('cannot be used, even by those who may use both', async () => {
    const [mine, theirs] = [await createAccount(app), await createAccount(app)]
    for (const action of [hook((await outgoing(theirs.id)).id), command((await broker(theirs.id)).id)])
      expect(await errorOf(acting(mine, [action]))).toMatchObject({
        code: 'VALIDATION_ERROR',
        data: { issues: [{ path, text: 'connectorForeign' }] },
      })
  })

  test('are not used when a rule gets them past the check', async () => {
    const [mine, theirs] = [await createAccount(app), await createAccount(app)]
    const own = await outgoing(mine.id)
    const { rule, fire, last } = await acting(mine, [hook(own.id)])
    const foreign = await outgoing(theirs.id)
    await app.ctx.db
      .updateTable('rules')
      .set({ actions: JSON.stringify([hook(foreign.id)]), version: 2 })
      .where('id', '=', rule.id)
      .execute()
    await fire()
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ to: '', outcome: 'impossible', reason: 'connectorDeleted' }],
    })
    expect(receiver.received).toEqual([])
  })

  test('need a kind that fits', async () => {
    const account = await createAccount(app)
    const [to, from] = [await outgoing(account.id), await broker(account.id)]
    for (const action of [command(to.id), hook(from.id)])
      expect(await errorOf(acting(account, [action]))).toMatchObject({
        data: { issues: [{ path, text: 'connectorUnfit' }] },
      })
  })

  test('need the right to see them; commands the right to send some', async () => {
    const account = await createAccount(app)
    const [to, by] = [await outgoing(account.id), await broker(account.id)]
    const { twin, temperature } = await ruleKit(app, account).warmRule()
    const create = async (
      rights: { subject: 'DigitalTwin' | 'VirtualDevice'; actions: ('read' | 'write')[] }[],
    ) => {
      const roleId = await createRole(app, rights)
      const { api } = await createUser(app, account, [{ roleId }])
      return (action: RuleAction) =>
        api.ddr.create({
          dtwinId: twin.id,
          title: `Rule ${++serial}`,
          metrics: [{ alias: 'temperature', stateId: temperature, operation: 'latest' }],
          conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 1 } },
          actions: [action],
        })
    }
    const twins = { subject: 'DigitalTwin', actions: ['read', 'write'] } as const
    const without = await create([{ ...twins, actions: [...twins.actions] }])
    const seeing = await create([
      { ...twins, actions: [...twins.actions] },
      { subject: 'VirtualDevice', actions: ['read'] },
    ])
    const sending = await create([
      { ...twins, actions: [...twins.actions] },
      { subject: 'VirtualDevice', actions: ['read', 'write'] },
    ])
    const refused = { code: 'VALIDATION_ERROR', data: { issues: [{ path, text: 'connectorForeign' }] } }
    expect(await errorOf(without(hook(to.id)))).toMatchObject(refused)
    expect(await errorOf(seeing(command(by.id)))).toMatchObject(refused)
    expect((await seeing(hook(to.id))).id).toBeGreaterThan(0)
    expect((await sending(command(by.id))).id).toBeGreaterThan(0)
  })

  test('that only send cannot receive for devices', async () => {
    const account = await createAccount(app)
    const { id: connectorId } = await outgoing(account.id)
    const device = { title: 'Meter', externalId: 'm1', connectorId }
    expect(await errorOf(app.api.virtualdevice.create(device))).toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
  })
})

describe('the settings of an outgoing webhook', () => {
  test.each([
    [{ url: 'ftp://example.org' }],
    [{ url: 'https://user:secret@example.org' }],
    [{ url: 'https://example.org/#a' }],
    [{ headerName: 'Host', headerValue: 'a' }],
    [{ headerName: 'x-key\r\nx-evil', headerValue: 'a' }],
    [{ headerName: 'x-key', headerValue: 'a\r\nx-evil: 1' }],
    [{ headerName: 'x-key', headerValue: '' }],
    [{ url: 'http://169.254.169.254/latest' }],
  ])('%j are refused', async (settings) => {
    const account = await createAccount(app)
    expect(await errorOf(outgoing(account.id, settings))).toMatchObject({ code: 'BRIDGE_INVALID_SETTINGS' })
  })

  test('do not lead to an address that became forbidden', async () => {
    const account = await createAccount(app)
    const connector = await outgoing(account.id)
    const { fire, last } = await acting(account, [hook(connector.id)])
    await app.ctx.db
      .updateTable('connectors')
      .set({ settings: JSON.stringify({ ...connector.settings, url: 'http://169.254.169.254/latest' }) })
      .where('id', '=', connector.id)
      .execute()
    await fire()
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'failed', reason: 'forbidden' }] })
  })
})
