import fc from 'fast-check'
import { sql } from 'kysely'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzing, mutantsOf, rubbish, rubbishBytes } from '../../../test/fuzz.ts'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { createDevice, createDriver, currentOf } from '../../../test/pipeline.ts'

let app: TestApp
let serial = 0
const stack = new AsyncDisposableStack()
const problems: string[] = []
const noteProblem = (error: unknown) => void problems.push(String(error))

beforeAll(async () => {
  app = await startApp()
  process.on('unhandledRejection', noteProblem)
})
afterAll(async () => {
  await stack.disposeAsync()
  process.off('unhandledRejection', noteProblem)
  expect(problems).toEqual([])
})

const password = 'correct horse'

async function broker(settings: object, account = { id: app.rootAccountId, scopeId: app.rootScopeId }) {
  const username = `fuzz-${++serial}`
  const { id, endpoints } = await app.api.bridge.create({
    accountId: account.id,
    kind: 'mqtt-broker',
    name: `Broker ${serial}`,
    settings: { username, password, ...settings },
  })
  const address = endpoints[0]?.replace('localhost', '127.0.0.1') ?? ''
  const client = await mqtt.connectAsync(address, { username, password, reconnectPeriod: 0 })
  stack.defer(() => client.endAsync(true))
  return { id, username, client, owner: { id, accountId: account.id, scopeId: account.scopeId } }
}

/** Rows of a connector: stored packets and dead letters. */
async function keptOf(connectorId: number) {
  const of = (table: 'packets' | 'dead_letters') =>
    app.ctx.db.selectFrom(table).selectAll().where('connector_id', '=', connectorId).orderBy('id').execute()
  return { packets: await of('packets'), letters: await of('dead_letters') }
}

const level = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[/#+]/g, '_')),
  fc.constantFrom(
    'well-3',
    '__proto__',
    '',
    ' ',
    '$SYS',
    'x'.repeat(300),
    '🌡',
    'ÄÖÜ',
    '%00',
    "'",
    '70b3d57ed0001234',
  ),
)
const payload = fc.oneof(
  mutantsOf({ value: 21.5, list: [1, 2], inner: { text: 'ok' } }).map((text) => Buffer.from(text)),
  rubbish.map((text) => Buffer.from(text)),
  rubbishBytes.map((bytes) => Buffer.from(bytes)),
)

/** Publishes in groups, so that they share batches; returns how many were acknowledged. */
async function publishAll(client: MqttClient, prefix: string, runs: number): Promise<number> {
  let acknowledged = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(level, payload), { minLength: 1, maxLength: 20 }), async (group) => {
      const small = group.filter(([, bytes]) => bytes.length < 1_000_000)
      await Promise.all(
        small.map(([name, bytes]) => client.publishAsync(`${prefix}/${name}`, bytes, { qos: 1 })),
      )
      acknowledged += small.length
      expect(client.connected).toBe(true)
    }),
    fuzzing(runs),
  )
  return acknowledged
}

test('whatever a device says is acknowledged once it is stored or kept aside', async () => {
  const { id, username, client, owner } = await broker({})
  const device = await createDevice(app, owner, 'well-3')
  // Without time and counter every message counts as different and gets its own row.
  const acknowledged = await publishAll(client, username, 60)
  const { packets, letters } = await keptOf(id)
  expect(packets.length + letters.length).toBeGreaterThanOrEqual(acknowledged)
  expect(packets.every(({ device_id }) => device_id === device)).toBe(true)
  await client.publishAsync(`${username}/well-3`, '{"level":1}', { qos: 1 })
  expect((await keptOf(id)).packets).toHaveLength(packets.length + 1)
})

test('a template that passes everything on loses nothing: one row for one message', async () => {
  const template = `module.exports = function (payload, meta) {
    if (meta.topic.endsWith('x')) throw new Error(String(payload))
    return { identifier: 'well-3', data: { topic: meta.topic, body: payload } }
  }`
  const { id, username, client, owner } = await broker({ preset: 'template', template })
  await createDevice(app, owner, 'well-3')
  const acknowledged = await publishAll(client, username, 40)
  const { packets, letters } = await keptOf(id)
  expect(packets.length + letters.length).toBe(acknowledged)
})

/** What a driver does to the byte `ff`, and the code its packet is kept with. */
const attacks: readonly (readonly [title: string, code: string, outcome: string])[] = [
  ['loops for ever', 'for (;;);', 'SCRIPT_TIMEOUT'],
  ['calls itself for ever', '(function f() { return f() + 1 })()', 'SCRIPT_ERROR'],
  ['reads a catastrophic expression', '/^(a+)+$/.test("a".repeat(60) + "b")', 'SCRIPT_TIMEOUT'],
  ['answers 100 MB', 'return { data: { text: "x".repeat(1e8) } }', 'SCRIPT_OUTPUT_TOO_LARGE'],
  ['has a getter that never ends', 'return { data: { get a() { for (;;); } } }', 'SCRIPT_TIMEOUT'],
  [
    'asks the global object for the process',
    'return this.constructor.constructor("return process")()',
    'SCRIPT_ERROR',
  ],
  ['promises for ever', 'return new Promise(function () {})', 'SCRIPT_OUTPUT_INVALID'],
  ['takes memory until its sandbox dies', 'return "x".repeat(5e8).split("")', 'SCRIPT_'],
]

test.each(attacks)(
  'a driver that %s: its packet is kept with the error, others run on',
  async (_title, code, outcome) => {
    const hostile = `function decodeUplink({ bytes }) { if (bytes[0] === 255) { ${code} } return { data: { first: bytes[0] } } }`
    const healthy = 'function decodeUplink({ bytes }) { return { data: { sum: bytes[0] + bytes[1] } } }'
    const bad = await broker({})
    const good = await broker({}, await createAccount(app))
    const badDevice = await createDevice(app, bad.owner, 'bad', await createDriver(app, hostile))
    const goodDevice = await createDevice(app, good.owner, 'good', await createDriver(app, healthy))
    const rounds = 10
    await Promise.all([
      ...['01', 'ff', '02'].map((hex) => bad.client.publishAsync(`${bad.username}/bad`, hex, { qos: 1 })),
      ...Array.from({ length: rounds }, (_, n) =>
        good.client.publishAsync(`${good.username}/good`, `0${n}01`, { qos: 1 }),
      ),
    ])
    const kept = await keptOf(bad.id)
    expect(kept.letters).toEqual([])
    expect(kept.packets.map(({ device_id, payload, variables }) => [device_id, payload, variables])).toEqual([
      [badDevice, '01', { first: 1 }],
      [badDevice, 'ff', null],
      [badDevice, '02', { first: 2 }],
    ])
    expect(kept.packets[1]?.error).toMatchObject({
      code: expect.stringContaining(outcome),
      message: expect.any(String),
    })
    const served = await keptOf(good.id)
    expect(served.packets.map(({ device_id, variables }) => [device_id, variables])).toEqual(
      Array.from({ length: rounds }, (_, n) => [goodDevice, { sum: n + 1 }]),
    )
  },
)

test('texts with NUL and halves of characters are stored with the replacement character', async () => {
  const script =
    'function decodeUplink({ bytes }) { return { data: { name: String.fromCharCode(65, 0, 0xd800), ["k\\u0000"]: 1 } } }'
  const { id, username, client, owner } = await broker({})
  await createDevice(app, owner, 'scripted', await createDriver(app, script))
  await createDevice(app, owner, 'plain')
  await client.publishAsync(`${username}/scripted`, '00', { qos: 1 })
  await client.publishAsync(`${username}/plain`, '{"name":"A\\u0000\\ud800","meta":{"\\u0000":"\\udfff"}}', {
    qos: 1,
  })
  const { packets, letters } = await keptOf(id)
  expect(letters).toEqual([])
  expect(packets.map(({ variables, error }) => [(variables as { name: string }).name, error])).toEqual([
    ['A\ufffd\ufffd', null],
    ['A\ufffd\ufffd', null],
  ])
  expect((await app.api.bridge.traffic({ id })).items).toHaveLength(2)
})

test('what was measured in another century is refused, and no month is made up for it', async () => {
  const monthsOf = async () => {
    const { rows } = await sql<{ name: string }>`select c.relname as name from pg_inherits i
      join pg_class c on c.oid = i.inhrelid where i.inhparent = 'state_values'::regclass`.execute(app.ctx.db)
    return rows.map(({ name }) => name).sort()
  }
  const { id, username, client, owner } = await broker({})
  const device = await createDevice(app, owner, 'dreamer')
  await client.publishAsync(`${username}/dreamer`, '{"level":1}', { qos: 1 })
  const before = await monthsOf()
  const years = Array.from({ length: 200 }, (_, n) => ({
    timestamp: `${2100 + n}-06-01T00:00:00Z`,
    level: n,
  }))
  const past = Array.from({ length: 20 }, (_, n) => ({ timestamp: `${2001 + n}-06-01T00:00:00Z`, level: n }))
  const body = JSON.stringify([{ level: 7 }, ...years, ...past])
  await client.publishAsync(`${username}/dreamer`, body, { qos: 1 })
  expect(await monthsOf()).toEqual(before)
  const { packets, letters } = await keptOf(id)
  expect(letters).toEqual([])
  expect(packets.map(({ error }) => error)).toEqual([
    null,
    expect.objectContaining({ code: 'PACKET_TOO_OLD' }),
  ])
  expect(await currentOf(app, device)).toEqual({ level: 7 })
})
