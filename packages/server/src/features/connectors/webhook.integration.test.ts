import { limits } from '@leitstand/contract/common'
import { beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../test/kit.ts'
import { createDevice, createDriver } from '../../../test/pipeline.ts'
import { ingestLimits } from '../ingest/index.ts'
import { receiveLimits } from './receive.ts'

let app: TestApp
let serial = 0

beforeAll(async () => {
  app = await startApp()
})

type Preset = 'standard' | 'tts-v3' | 'chirpstack-v4' | 'template'

async function webhook(preset: Preset = 'standard', template = '') {
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: `Webhook ${++serial}`,
    settings: { preset, template },
  })
  const owner = { id: connector.id, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  return { ...connector, key: connector.key ?? '', owner }
}

async function post(key: string, body: unknown, { query = '', headers = {} } = {}) {
  const reply = await fetch(`${app.url}/api/hooks/${key}${query}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  const answer = (await reply.json()) as Record<string, unknown> & { rejected?: unknown[]; code?: string }
  return { status: reply.status, headers: reply.headers, answer }
}

const deadLetters = (id: number) => app.api.letters.list({ id, limit: 100 })
const traffic = async (id: number) => (await app.api.bridge.traffic({ id })).items
const packetsOf = (deviceId: number) =>
  app.ctx.db.selectFrom('packets').selectAll().where('device_id', '=', deviceId).orderBy('id').execute()

const thermometer =
  'function decodeUplink({ bytes, fPort }) { return { data: { temperature: bytes[0] / 10, port: fPort } } }'

describe('a webhook', () => {
  test('stores what comes before it answers, and shows it in its log', async () => {
    const { id, key, owner, endpoints, state } = await webhook()
    expect({ endpoints, state }).toEqual({
      endpoints: [expect.stringMatching(/\/api\/hooks$/)],
      state: 'listening',
    })
    const driver = await createDriver(app, thermometer)
    const device = await createDevice(app, owner, 'A1', driver)
    const { status, answer } = await post(key, { identifier: 'A1', data: 'f0', meta: { lora: { fport: 7 } } })
    expect({ status, answer }).toEqual({
      status: 200,
      answer: { accepted: 1, duplicates: 0, rejected: [], rejectedCount: 0 },
    })
    expect(await packetsOf(device)).toMatchObject([
      { payload: 'f0', encoding: 'hex', variables: { temperature: 24, port: 7 } },
    ])
    expect(await traffic(id)).toMatchObject([
      {
        seq: 1,
        identifier: 'A1',
        deviceId: device,
        raw: JSON.stringify({ identifier: 'A1', data: 'f0', meta: { lora: { fport: 7 } } }),
        decoded: { temperature: 24, port: 7 },
        error: null,
      },
    ])
  })

  test('takes the key from a header and the body in any content type', async () => {
    const { key, owner } = await webhook()
    await createDevice(app, owner, 'A1')
    const reply = await fetch(`${app.url}/api/hooks`, {
      method: 'POST',
      body: new TextEncoder().encode('[{"identifier":"A1","data":{"level":1}}]'),
      headers: { 'x-api-key': key },
    })
    expect([reply.status, await reply.json()]).toEqual([200, expect.objectContaining({ accepted: 1 })])
  })

  test('an unknown key is 404, a switched off connector 403', async () => {
    const { id, key, name, version } = await webhook()
    expect(await post('x'.repeat(32), {})).toMatchObject({
      status: 404,
      answer: { code: 'CONNECTOR_NOT_FOUND', requestId: expect.any(String) },
    })
    await app.api.bridge.update({ id, version, name, enabled: false, settings: { preset: 'standard' } })
    expect(await post(key, {})).toMatchObject({ status: 403, answer: { code: 'CONNECTOR_DISABLED' } })
  })

  test('broken JSON is refused and kept', async () => {
    const { id, key } = await webhook()
    expect(await post(key, '{"identifier":')).toMatchObject({
      status: 400,
      answer: { code: 'BODY_NOT_JSON' },
    })
    expect(await deadLetters(id)).toMatchObject({
      total: 1,
      items: [{ reason: 'BODY_NOT_JSON', body: '{"identifier":' }],
      byReason: [{ reason: 'BODY_NOT_JSON', count: 1 }],
    })
    expect(await traffic(id)).toMatchObject([{ raw: '{"identifier":', error: { code: 'BODY_NOT_JSON' } }])
  })

  test('a body of 2 MB is refused, and the status log says so', async () => {
    const { id, key } = await webhook()
    const { status, answer } = await post(key, JSON.stringify('x'.repeat(2 * limits.bodyBytesMax)))
    expect({ status, answer }).toMatchObject({ status: 413, answer: { code: 'BODY_TOO_LARGE' } })
    const { items } = await app.api.bridge.logs({ id })
    expect(items[0]).toMatchObject({ level: 'warning', event: 'too-large' })
  })

  test('large messages are not read for a while after many that could not be', async () => {
    const { id, key } = await webhook()
    const other = await webhook()
    const deep = '['.repeat(450_000) + ']'.repeat(450_000)
    const statuses: number[] = []
    for (let sent = 0; sent < 6; sent++) statuses.push((await post(key, deep)).status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
    expect(await post(key, deep)).toMatchObject({
      status: 429,
      answer: { code: 'TOO_MANY_REQUESTS', data: { limit: 'connector.unreadable', value: 50_000 } },
    })
    expect(await deadLetters(id)).toMatchObject({
      total: 5,
      byReason: [{ reason: 'PACKET_INVALID', count: 5 }],
    })
    const small = { identifier: 'nobody', data: { a: 1 } }
    expect(await post(key, small)).toMatchObject({ status: 422, answer: { code: 'DEVICE_UNKNOWN' } })
    expect(await post(other.key, deep)).toMatchObject({ status: 422 })
    expect((await app.api.bridge.logs({ id })).items[0]).toMatchObject({ event: 'limit-reached' })
    await app.ctx.limitHits.write()
    const { items } = await app.api.tenant.limitHits({ id: app.rootAccountId })
    expect(items.find(({ limit }) => limit === 'unreadable')).toMatchObject({ times: 2 })
  })

  test('unknown devices are refused with the reason and kept', async () => {
    const { id, key } = await webhook()
    const { status, answer } = await post(key, { identifier: 'nobody', data: { a: 1 } })
    expect({ status, answer }).toMatchObject({
      status: 422,
      answer: {
        code: 'DEVICE_UNKNOWN',
        data: { rejected: [{ identifier: 'nobody', code: 'DEVICE_UNKNOWN' }] },
      },
    })
    expect(await deadLetters(id)).toMatchObject({ total: 1, items: [{ identifier: 'nobody' }] })
    const of = (identifier: string) => app.api.letters.list({ id, identifier })
    expect(await of('NO-BODY')).toMatchObject({ total: 1, items: [{ identifier: 'nobody' }] })
    expect(await of('somebody')).toMatchObject({ total: 0, items: [], byReason: [] })
  })

  test('what is good in an array is stored, the rest is named', async () => {
    const { key, owner } = await webhook()
    await createDevice(app, owner, 'A1')
    const body = [{ identifier: 'A1', data: { a: 1 } }, 'rubbish', { identifier: 'B', data: 1 }]
    const { status, answer } = await post(key, body)
    expect({ status, answer }).toEqual({
      status: 200,
      answer: {
        accepted: 1,
        duplicates: 0,
        rejectedCount: 2,
        rejected: expect.arrayContaining([
          expect.objectContaining({ identifier: 'B', code: 'DEVICE_UNKNOWN' }),
          { identifier: null, code: 'PACKET_INVALID', message: 'A packet must be an object' },
        ]),
      },
    })
  })

  test('10 000 packets for unknown devices are refused one by one, counted and kept each by itself', async () => {
    const { id, key } = await webhook()
    const body = Array.from({ length: 10_000 }, (_, index) => ({ identifier: `ghost ${index}`, data: 1 }))
    const { status, answer } = await post(key, body)
    expect({ status, code: answer.code }).toEqual({ status: 422, code: 'DEVICE_UNKNOWN' })
    expect(answer.data).toMatchObject({ rejectedCount: 10_000, rejected: expect.any(Array) })
    const { total, byReason, items } = await deadLetters(id)
    expect({ total, byReason }).toEqual({
      total: 10_000,
      byReason: [{ reason: 'DEVICE_UNKNOWN', count: 10_000 }],
    })
    expect(items.every(({ body }) => body.length < 100)).toBe(true)
    expect(await traffic(id)).toHaveLength(100)
    const { status: stillThere } = await fetch(`${app.url}/healthz`)
    expect(stillThere).toBe(200)
  })

  test('a full queue sends away what it cannot take, and loses nothing of what it has taken', async () => {
    const { id, key, owner } = await webhook()
    const lock = await app.ctx.pool.connect()
    try {
      await lock.query('begin; lock table dead_letters in access exclusive mode')
      const hundreds = Array.from({ length: receiveLimits.windowMax }, (_, index) => ({
        identifier: `ghost ${index}`,
        data: 1,
      }))
      const accepted = post(key, hundreds)
      const stuck = "select 1 from pg_locks where relation = 'dead_letters'::regclass and not granted"
      await expect.poll(async () => (await lock.query(stuck)).rowCount).toBe(1)
      const ghost = { connector: owner, packets: [{ identifier: 'ghost', data: 1 }], raw: '' }
      const others = Array.from({ length: ingestLimits.lane.items + ingestLimits.batchMax }, () =>
        app.app.ingest.submit({ ...ghost, connector: { ...owner, id }, receivedAt: new Date() }),
      )
      await expect.poll(() => app.app.ingest.hasRoom({ ...owner, id })).toBe(false)
      const { status, headers, answer } = await post(key, { identifier: 'late', data: 1 })
      expect({ status, code: answer.code }).toEqual({ status: 503, code: 'OVERLOADED' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      await lock.query('rollback')
      expect((await accepted).status).toBe(422)
      await Promise.all(others)
      expect((await deadLetters(id)).total).toBe(hundreds.length + others.length)
    } finally {
      lock.release()
    }
  })

  test('texts PostgreSQL cannot hold do no harm', async () => {
    const { id, key, owner } = await webhook()
    await createDevice(app, owner, 'A1')
    expect((await post(key, { identifier: 'A1', data: { text: 'a\u0000b' } })).status).toBeLessThan(500)
    expect((await post(key, '{"identifier":"\\u0000\\ud800"')).status).toBe(400)
    expect((await traffic(id)).length).toBe(2)
  })
})

describe('network servers', () => {
  const now = () => new Date().toISOString().replace('Z', '456789Z')
  const ttsUplink = (changes: object = {}) => ({
    end_device_ids: { device_id: 'well-3', dev_eui: 'A81758FFFE00AA01', dev_addr: '260B0001' },
    received_at: now(),
    uplink_message: {
      session_key_id: 'AYfXQ2m1WUE=',
      f_port: 2,
      f_cnt: 12,
      frm_payload: '3A==',
      rx_metadata: [{ gateway_ids: { gateway_id: 'roof' }, rssi: -80, snr: 5 }],
      received_at: now(),
      ...changes,
    },
  })

  test('an uplink of The Things Stack is stored once, however often it comes', async () => {
    const { id, key, owner } = await webhook('tts-v3')
    const device = await createDevice(app, owner, 'A81758FFFE00AA01', await createDriver(app, thermometer))
    expect((await post(key, ttsUplink())).answer).toMatchObject({ accepted: 1, duplicates: 0 })
    expect((await post(key, ttsUplink())).answer).toMatchObject({ accepted: 0, duplicates: 1 })
    const rejoined = ttsUplink({ session_key_id: 'another', f_cnt: undefined })
    expect((await post(key, rejoined)).answer).toMatchObject({ accepted: 1 })
    expect(await packetsOf(device)).toMatchObject([
      { f_port: 2, f_cnt: 12, payload: 'dc', variables: { temperature: 22, port: 2 } },
      { f_port: 2, f_cnt: 0 },
    ])
    expect((await traffic(id))[1]).toMatchObject({ decoded: { duplicate: true }, error: null })
  })

  test('joins and the fate of downlinks are shown, not stored', async () => {
    const { id, key } = await webhook('tts-v3')
    const { end_device_ids, received_at } = ttsUplink()
    const join = { end_device_ids, received_at, join_accept: { session_key_id: 'x' } }
    expect(await post(key, join)).toMatchObject({
      status: 200,
      answer: { accepted: 0, rejected: [], event: 'join_accept' },
    })
    await post(key, { end_device_ids, received_at, downlink_failed: { error: {} } })
    expect(await traffic(id)).toMatchObject([
      { identifier: 'A81758FFFE00AA01', error: { code: 'downlink_failed' } },
      { identifier: 'A81758FFFE00AA01', decoded: { event: 'join_accept' }, error: null },
    ])
  })

  test('ChirpStack tells the event in the address', async () => {
    const { id, key, owner } = await webhook('chirpstack-v4')
    const device = await createDevice(app, owner, '70B3D57ED0001234', await createDriver(app, thermometer))
    const body = { time: now(), deviceInfo: { devEui: '70b3d57ed0001234' }, devAddr: '00a1', data: '3A==' }
    expect((await post(key, body, { query: '?event=up' })).answer).toMatchObject({ accepted: 1 })
    expect((await post(key, body, { query: '?event=join' })).answer).toMatchObject({ event: 'join' })
    expect(await packetsOf(device)).toHaveLength(1)
    expect(await traffic(id)).toHaveLength(2)
  })
})

describe('templates', () => {
  const good = `module.exports = function (payload, meta) {
    const [name, value] = payload.split(';')
    if (value === undefined) return
    return { identifier: name, data: { value: Number(value), from: meta.query.site } }
  }`

  test('turn any text into packets, or drop it', async () => {
    const { id, key, owner } = await webhook('template', good)
    const device = await createDevice(app, owner, 'A1')
    expect((await post(key, 'A1;7', { query: '?site=north' })).answer).toMatchObject({ accepted: 1 })
    expect((await post(key, 'hello')).answer).toMatchObject({ accepted: 0, rejected: [] })
    expect(await packetsOf(device)).toMatchObject([{ payload: JSON.stringify({ value: 7, from: 'north' }) }])
    expect((await traffic(id))[0]).toMatchObject({ raw: 'hello', decoded: { dropped: true } })
  })

  test.each([
    ['throws', 'throw new Error("no such meter")', 'SCRIPT_ERROR'],
    ['loops for ever', 'for (;;);', 'SCRIPT_TIMEOUT'],
    ['eats memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length))', 'SCRIPT_'],
    ['answers nonsense', 'return 7', 'PACKET_INVALID'],
    ['answers too much', 'return "x".repeat(1e6)', 'SCRIPT_OUTPUT_TOO_LARGE'],
  ])('one that %s loses nothing and harms nobody', async (_what, body, code) => {
    const bad = await webhook('template', `module.exports = function (payload) { ${body} }`)
    const fine = await webhook('template', good)
    await createDevice(app, fine.owner, 'A1')
    const { status, answer } = await post(bad.key, { some: 'message' })
    expect({ status, code: answer.code }).toEqual({ status: 422, code: expect.stringContaining(code) })
    expect((await deadLetters(bad.id)).items).toMatchObject([
      { reason: expect.stringContaining(code), body: '{"some":"message"}' },
    ])
    expect((await post(fine.key, 'A1;7')).answer).toMatchObject({ accepted: 1 })
  })
})
