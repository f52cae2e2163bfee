/**
 * A hostile tenant tries every attack that was ever found, over HTTP, MQTT and WebSocket, as an outsider
 * would: with requests and messages only. After each attempt another tenant must still be served.
 */
import { connect as netConnect } from 'node:net'
import { strToU8, zipSync } from 'fflate'
import mqtt from 'mqtt'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import {
  createAccount,
  createApi,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
  testPassword,
} from '../kit.ts'
import { startSmtp, type TestSmtp } from '../smtp.ts'
import { createDriverDevice, createTenant, honest, type Tenant } from './tenant.ts'

let app: TestApp
let platformMail: TestSmtp
let hostileMail: TestSmtp
let hostile: Tenant
let other: Tenant

beforeAll(async () => {
  platformMail = await startSmtp()
  hostileMail = await startSmtp()
  app = await startApp({
    config: {
      smtpUrl: platformMail.url,
      allowedNetworks: ['127.0.0.0/8'],
      publicUrl: 'https://iot.example.org',
    },
  })
  hostile = await createTenant(app, 'Hostile')
  other = await createTenant(app, 'Other')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await platformMail[Symbol.asyncDispose]()
  await hostileMail[Symbol.asyncDispose]()
})

afterEach(async () => {
  expect(await other.isServed(), 'another tenant is served').toBe(true)
})

const packets = [{ payload: '07' }]

describe('code', () => {
  const elixir = (expression: string) =>
    `defmodule Parser do\n  def parse(_payload, _meta), do: (${expression})\nend`

  test('somebody who only reads cannot have code run', async () => {
    const { api } = hostile.viewer
    for (const parser of [{ kind: 'elixir' }, { kind: 'function' }] as const) {
      const tried = api.dispatcher.parse({ parser, script: honest, packets })
      expect(await errorOf(tried)).toMatchObject({ status: 403, code: 'NO_PERMISSION' })
    }
  })

  test.each([
    ['a delegate', 'Kernel.defdelegate(cmd(x), to: :os)\n  def run, do: cmd(~c"id")'],
    [
      'a struct',
      `def run, do: Enum.to_list(%{__struct__: :"Elixir.File.Stream", path: "/etc/passwd", modes: [], line_or_bytes: :line, raw: true, node: node()})`,
    ],
    ['a hook', '@on_load :run\n  def run, do: :os.cmd(~c"id")'],
  ])('an Elixir parser reaches nothing: %s', async (_title, body) => {
    const script = `defmodule Parser do\n  ${body}\n  def parse(_, _), do: %{out: inspect(run())}\nend`
    const answer = await hostile.administrator.api.dispatcher
      .parse({ parser: { kind: 'elixir' }, script, packets })
      .then(JSON.stringify, (error: unknown) => JSON.stringify(error))
    expect(answer).not.toMatch(/uid=|root:/)
    expect(answer).toMatch(/SCRIPT_SYNTAX|SCRIPT_ERROR|PARSER_ELIXIR/)
  })

  test('an Elixir parser of one tenant keeps nothing for another', async () => {
    const keep = elixir('Process.put(:kept, 1); %{kept: 1}')
    const answers = await Promise.all(
      [hostile, other].map(({ administrator }) =>
        administrator.api.dispatcher
          .parse({ parser: { kind: 'elixir' }, script: keep, packets })
          .then(({ results }) => results[0]?.error?.code ?? 'ok'),
      ),
    )
    expect(new Set(answers).size).toBe(1)
  })

  test("no call gives a tenant's driver the packets of an account that has not accepted it", async () => {
    const driver = await hostile.administrator.api.devicedrivers.create({
      accountId: hostile.id,
      title: 'Offered to accounts below',
      script: honest,
    })
    const below = await createAccount(app, { name: 'Below the hostile tenant', parent: hostile })
    const { api } = await createUser(app, below, [{ roleId: await roleNamed(app, 'Account administrator') }])
    const { id: connectorId } = await api.bridge.create({
      accountId: below.id,
      kind: 'webhook-in',
      name: 'Webhook',
      settings: { preset: 'standard' },
    })
    const device = await api.virtualdevice.create({ title: 'Quiet', externalId: 'quiet', connectorId })
    const { id: driverId } = driver
    const calls = [
      () => api.virtualdevice.create({ title: 'New', externalId: 'new', connectorId, driverId }),
      () =>
        api.virtualdevice.create({
          title: 'New',
          externalId: 'new',
          connectorId,
          driverId,
          driverVersion: 1,
        }),
      () => api.virtualdevice.update({ ...device, driverId }),
      () => api.virtualdevice.update({ ...device, driverId, driverVersion: 1 }),
      () => api.bulk.update({ ids: [device.id], changes: { driver: { driverId } } }),
      () =>
        api.bulk.edit({
          title: 'Another driver',
          selection: { ids: [device.id] },
          mode: { kind: 'edit', changes: { driver: { driverId, driverVersion: 1 } } },
        }),
      () =>
        api.deviceTemplate.create({
          title: 'Template',
          accountId: below.id,
          content: { driverId, connectorId },
        }),
    ]
    for (const [at, call] of calls.entries())
      expect([at, (await errorOf(call())).code]).toEqual([at, 'DEVICEDRIVER_NOT_ACCEPTED'])
    expect((await api.virtualdevice.list({})).items).toMatchObject([{ id: device.id, driverId: null }])
  })

  /** Replaces the harness's result with its own text. */
  const throughTheStack = (
    text: string,
  ) => `Error.prepareStackTrace = (e, frames) => frames.flatMap((f) => [f.getThis(), f.getFunction()])
      const found = new Error().stack
      delete Error.prepareStackTrace
      const text = ${text}
      for (const own of found) if (own && typeof own === 'object' && Object.keys(own).length < 10)
        for (const key of Object.keys(own)) if (typeof own[key] === 'function') own[key] = () => text
      return 1`
  const harness = [
    [
      'a deep answer past the harness',
      throughTheStack(`'"v":' + '{"a":'.repeat(60000) + '1' + '}'.repeat(60000)`),
    ],
    ['a long answer past the harness', throughTheStack(`'"v":"' + 'x'.repeat(36e6) + '"'`)],
    ['several answers past the harness', throughTheStack(`'"v":1},{"v":2},{"v":3'`)],
    ['no JSON past the harness', throughTheStack(`'}]]'`)],
    ['an answer 60 000 levels deep', 'let a = []; for (let i = 0; i < 60000; i++) a = [a]; return a'],
    ['an answer of 36 MB', 'return "x".repeat(36e6)'],
    ['an answer of 200 000 keys', 'const o = {}; for (let i = 0; i < 2e5; i++) o["k" + i] = i; return o'],
    ['half a surrogate pair and NUL', 'return { a: "\\ud800", b: "\\u0000" }'],
  ] as const

  test.each(harness)('a driver harms its own packets only: %s', async (_title, body) => {
    const { items } = await hostile.administrator.api.bridge.list({ limit: 10 })
    const identifier = await createDriverDevice(
      hostile,
      items[0]?.id ?? 0,
      `module.exports = function () { ${body} }`,
    )
    // The first ones warm up the sandbox, the others run concurrently with the other tenant's.
    for (let n = 0; n < 4; n++) await hostile.post({ identifier, data: `0${n}` })
    const attack = Array.from({ length: 20 }, (_, n) => hostile.post({ identifier, data: `1${n % 10}` }))
    const served = await Promise.all(Array.from({ length: 20 }, () => other.isServed()))
    expect(served.filter((each) => !each)).toEqual([])
    for (const { status } of await Promise.all(attack)) expect([200, 422, 429]).toContain(status)
  })

  test.each(harness)('a transformer harms its own values only: %s', async (_title, body) => {
    const { api } = hostile.administrator
    const { items } = await api.digitaltwin.states({ id: hostile.deviceId })
    const state = items.find(({ key }) => key === 'level')
    if (state === undefined) throw new Error('the device has no state')
    const { value: _, time: __, twinId: ___, position: ____, ...fields } = state
    const saved = await api.state.update({ ...fields, transformer: body }).catch((error: unknown) => error)
    for (let n = 0; n < 4; n++) await hostile.isServed()
    const attack = Array.from({ length: 20 }, () => hostile.isServed())
    const served = await Promise.all(Array.from({ length: 20 }, () => other.isServed()))
    await Promise.all(attack)
    expect(served.filter((each) => !each)).toEqual([])
    if (saved instanceof Error) return
    const { items: now } = await api.digitaltwin.states({ id: hostile.deviceId })
    const again = now.find(({ key }) => key === 'level')
    if (again === undefined) throw new Error('the state is gone')
    const { value: _v, time: _t, twinId: _i, position: _p, ...rest } = again
    await api.state.update({ ...rest, transformer: null })
  })

  test('ever-new scripts that take memory slow nobody else', async () => {
    const { api } = hostile.administrator
    const tries = Array.from({ length: 12 }, (_, serial) =>
      api.dispatcher
        .parse({
          script: `module.exports = function () { /* ${serial} */ const a = []; for (;;) a.push(new Array(1e6).fill(1.5)) }`,
          packets,
        })
        .then(
          ({ results }) => results[0]?.error?.code,
          (error: { code?: string }) => error.code,
        ),
    )
    const served = await Promise.all(Array.from({ length: 10 }, () => other.isServed()))
    expect(served.filter((each) => !each)).toEqual([])
    expect((await Promise.all(tries)).filter((code) => code === undefined)).toEqual([])
  })
})

describe('people', () => {
  test("a tenant's mail server never gets the link of somebody who may do more", async () => {
    const { api } = hostile.administrator
    const colleague = await createUser(app, hostile, [
      { roleId: await roleNamed(app, 'Viewer') },
      { roleId: await roleNamed(app, 'Account administrator'), scopeId: other.scopeId },
    ])
    const { version } = await api.tenant.getMailServer({ id: hostile.id })
    await api.tenant.setMailServer({
      id: hostile.id,
      version,
      server: {
        host: '127.0.0.1',
        port: hostileMail.port,
        security: 'none',
        user: '',
        senderName: '',
        senderAddress: 'iot@hostile.example',
      },
    })
    await createApi(app.url).password.forgot({ email: `${colleague.username}@example.org` })
    await app.drain()
    const isTheirs = (smtp: TestSmtp) =>
      smtp.received.some(({ to }) =>
        to?.some(({ address }) => address === `${colleague.username}@example.org`),
      )
    expect(isTheirs(hostileMail)).toBe(false)
    expect(isTheirs(platformMail)).toBe(true)
  })

  test('nobody takes the e-mail address of somebody else as user name', async () => {
    const email = `${other.administrator.username}@example.org`
    const created = hostile.administrator.api.user.create({
      accountId: hostile.id,
      username: email.toUpperCase(),
      email: 'mallory@example.org',
    })
    expect((await errorOf(created)).status).toBeGreaterThanOrEqual(400)
    const { token } = await createApi(app.url).auth.login({ username: email, password: testPassword })
    expect(token).toEqual(expect.any(String))
  })

  test('strangers cannot lock out somebody who signs in from where they always do', async () => {
    const { username } = other.administrator
    const anonymous = createApi(app.url)
    const signIn = await fetch(`${app.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: app.url },
      body: JSON.stringify({ username, password: testPassword }),
    })
    const cookies = signIn.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
    for (let guess = 0; guess < 8; guess++)
      await errorOf(anonymous.auth.login({ username, password: `wrong ${guess}` }))
    const again = await fetch(`${app.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: app.url, cookie: cookies.join('; ') },
      body: JSON.stringify({ username, password: testPassword }),
    })
    expect(again.status).toBe(200)
  })
})

describe('the live connection', () => {
  const open = async (token: string) => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/live`)
    const received: { kind: string }[] = []
    socket.on('message', (data) => received.push(JSON.parse(String(data)) as { kind: string }))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const say = (message: object) => socket.send(JSON.stringify(message))
    say({ kind: 'hello', token })
    return { socket, received, closed, say }
  }

  test('one hello is all', async () => {
    const { say, closed } = await open(hostile.viewer.token)
    say({ kind: 'hello', token: hostile.viewer.token })
    expect(await closed).not.toBe(1006)
  })

  test('ends with the session, and no value follows', async () => {
    const spy = await createUser(app, other, [{ roleId: await roleNamed(app, 'Viewer') }])
    const { say, closed, received } = await open(spy.token)
    say({ kind: 'subscribe', topic: `twin:${other.deviceId}` })
    await expect.poll(() => received.some(({ kind }) => kind === 'subscribed')).toBe(true)
    await spy.api.auth.logout()
    expect(await closed).toEqual(expect.any(Number))
    const before = received.length
    await other.isServed()
    expect(received.length).toBe(before)
  })

  test('a tenant that opens hundreds of them leaves room for others', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 300 }, () => {
        const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/live`)
        socket.on('error', () => undefined)
        return new Promise<WebSocket>((resolve) =>
          socket
            .once('open', () => {
              socket.send(JSON.stringify({ kind: 'hello', token: hostile.viewer.token }))
              resolve(socket)
            })
            .once('close', () => resolve(socket)),
        )
      }),
    )
    await expect
      .poll(() => sockets.filter(({ readyState }) => readyState !== WebSocket.OPEN).length)
      .toBeGreaterThan(0)
    for (const socket of sockets) socket.terminate()
  })
})

describe('messages', () => {
  test('passwords of the broker cannot be guessed, and its client is not locked out', async () => {
    const login = { username: 'other-gateway', password: 'a password of the other tenant' }
    const { endpoints } = await other.administrator.api.bridge.create({
      accountId: other.id,
      kind: 'mqtt-broker',
      name: 'Broker',
      settings: { ...login, preset: 'standard', publishTopics: ['other/#'], subscribeTopics: [] },
    })
    const port = Number(new URL(endpoints[0] ?? '').port)
    /** Signs in from an address of this machine. @returns whether it succeeded */
    const connect = (password: string, localAddress: string) =>
      new Promise<boolean>((resolve) => {
        const client = new mqtt.MqttClient(() => netConnect({ host: '127.0.0.1', port, localAddress }), {
          username: login.username,
          password,
          reconnectPeriod: 0,
        })
        client.once('connect', () => {
          resolve(true)
          client.end(true)
        })
        client.on('error', () => client.end(true))
        client.once('close', () => resolve(false))
      })
    expect(await connect(login.password, '127.0.0.1')).toBe(true)
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, guess) => connect(`guess ${guess}`, '127.0.0.2')),
    )
    expect(guesses.filter(Boolean)).toEqual([])
    // Not even the correct password now.
    expect(await connect(login.password, '127.0.0.2')).toBe(false)
    expect(await connect(login.password, '127.0.0.1')).toBe(true)
  })
})

describe('files, texts and addresses', () => {
  test('an archive that takes long to read stops nobody', async () => {
    const keys = Array.from({ length: 30_000 }, (_, at) => `k${at}: 1`).join('\n')
    const archive = zipSync({ 'vendor/maker/device.yaml': strToU8(`firmwareVersions:\n  - x\n${keys}\n`) })
    const imported = hostile.administrator.api.devicedrivers
      .import({ file: new File([new Uint8Array(archive)], 'devices.zip'), accountId: hostile.id })
      .then(
        () => 'ok',
        (error: { code?: string }) => error.code,
      )
    const served: boolean[] = []
    let isRead = false
    void imported.then(() => {
      isRead = true
    })
    do served.push(await other.isServed())
    while (!isRead)
    expect(served.filter((each) => !each)).toEqual([])
    // Others were served while the archive was parsed: it takes seconds, a packet milliseconds.
    expect(served.length).toBeGreaterThan(3)
    expect(await imported).toEqual(expect.any(String))
  })

  test.each([['\u0000'], ['\ud800']])('a text with %j is refused, never an error inside', async (text) => {
    const { api } = hostile.administrator
    const calls = [
      () => api.digitaltwin.create({ title: `a${text}`, accountId: hostile.id }),
      () => createApi(app.url).auth.login({ username: `a${text}`, password: 'x' }),
      () => createApi(app.url).password.forgot({ email: `a${text}` }),
    ]
    for (const call of calls) expect((await errorOf(call())).status).toBe(400)
  })

  test('the address of a document cannot run a script', async () => {
    const [driver] = (await hostile.administrator.api.devicedrivers.list({ delivered: false })).items
    if (driver === undefined) throw new Error('there is no driver')
    const created = hostile.administrator.api.devicedrivers.create({
      accountId: hostile.id,
      title: 'Linked',
      script: honest,
      specs: { documentationUrl: 'javascript:alert(1)' },
    })
    expect((await errorOf(created)).status).toBe(400)
  })

  test('strangers learn nothing from metrics and readiness', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    expect((await fetch(`${app.url}/metrics`, { headers })).status).not.toBe(200)
    expect(Object.keys((await (await fetch(`${app.url}/readyz`, { headers })).json()) as object)).toEqual([
      'status',
    ])
  })
})
