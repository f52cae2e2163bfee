import { limits } from '@leitstand/contract/common'
import mqtt from 'mqtt'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  adminName,
  createAccount,
  createRole,
  createUser,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createDevice, createDriver, createState, createTwin, historyOf } from '../../../test/pipeline.ts'
import { trimLetters } from './store.ts'

const start = '2026-06-15T12:00:00.000Z'
const clock = new FakeClock(start)
let app: TestApp
let serial = 0

beforeAll(async () => {
  app = await startApp({ clock })
})

type Preset = 'standard' | 'tts-v3' | 'template'

async function webhook(preset: Preset = 'standard', template = '') {
  clock.set(start)
  const created = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: `Letters ${++serial}`,
    settings: { preset, template },
  })
  const owner = { id: created.id, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  return { ...created, key: created.key ?? '', owner }
}

async function post(key: string, body: unknown, query = '') {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await fetch(`${app.url}/api/hooks/${key}${query}`, { method: 'POST', body: text })
  return { status: reply.status, answer: (await reply.json()) as { code?: string } }
}

const list = (id: number, filter = {}) => app.api.letters.list({ id, limit: 100, ...filter })
const reasons = async (id: number) => (await list(id)).byReason
const packets = (deviceId: number) =>
  app.ctx.db.selectFrom('packets').selectAll().where('device_id', '=', deviceId).orderBy('id').execute()

async function disable(deviceId: number) {
  await app.ctx.db.updateTable('twins').set({ disabled: true }).where('id', '=', deviceId).execute()
  await app.ctx.configChanges.settle()
}

/** Replays and returns the finished job. */
async function replay(id: number, selection: Parameters<typeof app.api.letters.replay>[0]['selection']) {
  const job = await app.api.letters.replay({ id, selection })
  await app.drain()
  return app.api.job.get({ id: job.id })
}

const thermometer = 'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10 } } }'

describe('whatever cannot be used is kept with its reason and counted', () => {
  const cases: [string, unknown][] = [
    ['DEVICE_UNKNOWN', { identifier: 'nobody', data: { a: 1 } }],
    ['DEVICE_DISABLED', { identifier: 'off', data: { a: 1 } }],
    ['PACKET_TOO_OLD', { identifier: 'A1', data: { a: 1 }, time: '2001-01-01T00:00:00Z' }],
    ['PACKET_TOO_FAR_AHEAD', { identifier: 'A1', data: { a: 1 }, time: '2026-06-17T12:00:01Z' }],
    ['PACKET_INVALID', { identifier: 'A1' }],
    ['BODY_NOT_JSON', '{"identifier":'],
    ['ROUTING_UNMATCHED', { routing: { room: 'none' }, variable: 'a', data: { value: 1 } }],
    ['VALUE_WRONG_TYPE', { identifier: 'heard', data: { t: 'warm' } }],
    ['BODY_TOO_LARGE', 'x'.repeat(limits.bodyBytesMax + 1)],
  ]

  test.each(cases)('%s', async (reason, body) => {
    const { id, key, owner } = await webhook()
    await createDevice(app, owner, 'A1')
    const off = await createDevice(app, owner, 'off')
    await disable(off)
    const twin = await createTwin(app, owner)
    await createState(app, twin, {
      key: 't',
      source: 'connector',
      connectorId: id,
      identifier: 'heard',
      variable: 't',
    })
    await app.drain()
    const { status } = await post(key, body)
    // The packet itself was taken, only the state could not use its value.
    expect(status >= 400).toBe(reason !== 'VALUE_WRONG_TYPE')
    expect(await list(id)).toMatchObject({
      total: 1,
      items: [
        {
          reason,
          attempts: 0,
          lastAttemptAt: null,
          preset: 'standard',
          replayable: reason !== 'BODY_TOO_LARGE',
        },
      ],
      byReason: [{ reason, count: 1 }],
      refusals: [{ reason, count: 1, lastAt: expect.any(String) }],
    })
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(new RegExp(`packets_refused_total\\{[^}]*reason="${reason}"[^}]*\\} [1-9]`))
  })

  test('a template that fails', async () => {
    const { id, key } = await webhook('template', 'module.exports = (p) => p.missing.field')
    expect(await app.api.bridge.get({ id })).toMatchObject({ lastRefusedAt: null })
    expect((await post(key, { a: 1 }, '?site=7')).status).toBe(422)
    expect(await list(id)).toMatchObject({
      items: [{ reason: 'SCRIPT_ERROR', body: '{"a":1}', stage: 'message', preset: 'template' }],
      refusals: [{ reason: 'SCRIPT_ERROR', count: 1 }],
    })
    expect(await app.api.bridge.get({ id })).toMatchObject({ lastRefusedAt: expect.any(String) })
  })

  test('a driver that fails: the packet itself is kept, the connector counts it', async () => {
    const { id, key, owner } = await webhook()
    const driver = await createDriver(app, 'function decodeUplink() { throw new Error("no") }')
    const device = await createDevice(app, owner, 'A1', driver)
    await post(key, { identifier: 'A1', data: 'ff' })
    expect(await packets(device)).toMatchObject([{ error: { code: 'SCRIPT_ERROR' }, payload: 'ff' }])
    expect(await list(id)).toMatchObject({ total: 0, refusals: [{ reason: 'SCRIPT_ERROR', count: 1 }] })
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(/packets_failed_total\{[^}]*reason="SCRIPT_ERROR"[^}]*\} [1-9]/)
  })

  test('an MQTT packet that is too large', async () => {
    const username = `large${++serial}`
    const { id, endpoints } = await app.api.bridge.create({
      accountId: app.rootAccountId,
      kind: 'mqtt-broker',
      name: username,
      settings: { username, password: 'broker-password' },
    })
    const port = Number(new URL(endpoints[0] ?? '').port)
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      username,
      password: 'broker-password',
      reconnectPeriod: 0,
    })
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    client.on('error', () => undefined)
    client.publish(`${username}/a`, Buffer.alloc(limits.bodyBytesMax + 1), { qos: 1 }, () => undefined)
    await closed
    await expect
      .poll(async () => (await list(id)).items)
      .toMatchObject([{ reason: 'PACKET_TOO_LARGE', body: '', replayable: false }])
    await client.endAsync(true)
  })
})

describe('dead letters', () => {
  test('are found by reason, identifier, period and text; bodies are cut in the list and whole by themselves', async () => {
    const { id, key } = await webhook()
    await post(key, { identifier: 'AA:01', data: { note: 'x'.repeat(6000) } })
    clock.advance(60_000)
    await post(key, { identifier: 'BB02', data: { note: '100% Münster' } })
    await post(key, '{')
    const total = async (filter: object) => (await list(id, filter)).total
    expect(await total({})).toBe(3)
    expect(await total({ reason: 'BODY_NOT_JSON' })).toBe(1)
    expect(await total({ identifier: 'aa-01' })).toBe(1)
    expect(await total({ search: 'münster' })).toBe(1)
    expect(await total({ search: 'MÜNSTER 100%' })).toBe(1)
    expect(await total({ search: 'münster xxx' })).toBe(0)
    expect(await total({ search: 'note bb-02' })).toBe(1)
    expect(await total({ search: 'M_nster' })).toBe(0)
    expect(await total({ search: '100%' })).toBe(1)
    expect(await total({ search: '%' })).toBe(1)
    expect(await total({ to: '2026-06-15T12:00:30Z' })).toBe(1)
    expect(await total({ from: '2026-06-15T12:00:30Z' })).toBe(2)
    // reasons are counted beside the chosen one
    expect((await list(id, { reason: 'BODY_NOT_JSON' })).byReason).toHaveLength(2)
    const [long] = (await list(id, { identifier: 'AA01' })).items
    expect(long?.body).toHaveLength(4096)
    const whole = await app.api.letters.get({ id, letterId: long?.id ?? 0 })
    expect(JSON.parse(whole.body)).toMatchObject({ identifier: 'AA:01' })
    await expect(app.api.letters.get({ id, letterId: 999_999 })).rejects.toMatchObject({
      code: 'DEAD_LETTER_NOT_FOUND',
    })
  })

  test('are deleted one by one and by filter, not what came later, with an activity entry', async () => {
    const { id, key } = await webhook()
    for (const name of ['a', 'b', 'c']) await post(key, { identifier: name, data: 1 })
    const page = await list(id)
    const [newest] = page.items
    expect(await app.api.letters.delete({ id, selection: { ids: [newest?.id ?? 0] } })).toEqual({
      deleted: 1,
    })
    await post(key, { identifier: 'd', data: 1 })
    const filter = { reason: 'DEVICE_UNKNOWN', untilId: page.newestId ?? 0 }
    expect(await app.api.letters.delete({ id, selection: { filter } })).toEqual({ deleted: 2 })
    expect((await list(id)).items).toMatchObject([{ identifier: 'd' }])
    const { items } = await app.api.activityLog.list({ subject: 'Connector', objectId: id })
    expect(items.filter(({ action }) => action === 'delete-dead-letters')).toMatchObject([
      { changes: { letters: 2, filter } },
      { changes: { letters: 1, selected: 1 } },
    ])
  })

  test('are bounded by what they hold', async () => {
    const { id, key } = await webhook()
    for (const name of ['a', 'b', 'c']) await post(key, { identifier: name, data: 'z'.repeat(1000) })
    await trimLetters(app.ctx.db, { letters: 100, bytes: 2500 }, [id])
    expect((await list(id)).items.map(({ identifier }) => identifier)).toEqual(['c', 'b'])
    await trimLetters(app.ctx.db, { letters: 1, bytes: 1_000_000 }, [id])
    expect((await list(id)).items.map(({ identifier }) => identifier)).toEqual(['c'])
  })

  test('belong to the managers of the connector', async () => {
    const { id, key } = await webhook()
    await post(key, { identifier: 'a', data: 1 })
    const other = await createAccount(app)
    const { api } = await createUser(app, other, [
      { roleId: await createRole(app, [{ subject: 'all', actions: ['manage'] }]) },
    ])
    for (const call of [
      () => api.letters.list({ id }),
      () => api.letters.replay({ id, selection: { filter: {} } }),
      () => api.letters.delete({ id, selection: { filter: {} } }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
    const job = await replay(id, { filter: {} })
    await expect(api.job.get({ id: job.id })).rejects.toMatchObject({ code: 'BACKGROUND_JOB_NOT_FOUND' })
  })
})

describe('a replay', () => {
  test('stores what can be used now with its own time, and keeps the rest with the new reason', async () => {
    const { id, key, owner } = await webhook()
    await post(key, { identifier: 'A1', data: 'f0' })
    await post(key, { identifier: 'A2', data: 'f0' })
    clock.advance(3_600_000)
    const driver = await createDriver(app, thermometer)
    const device = await createDevice(app, owner, 'A1', driver)
    const disabled = await createDevice(app, owner, 'A2', driver)
    await disable(disabled)
    const job = await replay(id, { filter: {} })
    expect(job).toMatchObject({
      type: 'dead-letters-replay',
      state: 'done',
      total: 2,
      done: 2,
      error: null,
      result: { stored: 1, failed: 1, 'failed:DEVICE_DISABLED': 1 },
    })
    expect(await packets(device)).toMatchObject([
      { payload: 'f0', received_at: new Date(start), time: new Date(start), variables: { temperature: 24 } },
    ])
    expect((await list(id)).items).toMatchObject([
      { identifier: 'A2', reason: 'DEVICE_DISABLED', attempts: 1, lastAttemptAt: '2026-06-15T13:00:00.000Z' },
    ])
    const { items } = await app.api.activityLog.list({ subject: 'Connector', objectId: id })
    expect(items).toContainEqual(expect.objectContaining({ action: 'dead-letters-replay' }))
  })

  test('goes through the template as it is now, with topic and parameters', async () => {
    const { id, key, owner, name, version } = await webhook(
      'template',
      'module.exports = (p) => p.missing.field',
    )
    await post(key, { level: 3 }, '?site=well')
    const device = await createDevice(app, owner, 'well')
    const template = 'module.exports = (p, meta) => ({ identifier: meta.query.site, data: p })'
    await app.api.bridge.update({ id, version, name, settings: { preset: 'template', template } })
    const [letter] = (await list(id)).items
    expect(await replay(id, { ids: [letter?.id ?? 0] })).toMatchObject({ result: { stored: 1 } })
    expect(await packets(device)).toMatchObject([{ variables: { level: 3 } }])
    expect((await list(id)).total).toBe(0)
  })

  test('of one packet of many does not go through the template a second time', async () => {
    const template = 'module.exports = (p) => p.list.map((n) => ({ identifier: n, data: { n } }))'
    const { id, key, owner } = await webhook('template', template)
    await createDevice(app, owner, 'one')
    await post(key, { list: ['one', 'two'] })
    expect((await list(id)).items).toMatchObject([{ identifier: 'two', stage: 'packet' }])
    const device = await createDevice(app, owner, 'two')
    expect(await replay(id, { filter: {} })).toMatchObject({ result: { stored: 1 } })
    expect(await packets(device)).toHaveLength(1)
  })

  test('of a message whose packets can be used in part keeps the other parts', async () => {
    const broken = await webhook('template', 'module.exports = () => { throw new Error("later") }')
    const { id, key, owner, name, version } = broken
    await post(key, { list: ['p1', 'p2', 'p3'] })
    const template = 'module.exports = (p) => p.list.map((n) => ({ identifier: n, data: { a: 1 } }))'
    await app.api.bridge.update({ id, version, name, settings: { preset: 'template', template } })
    const device = await createDevice(app, owner, 'p2')
    expect(await replay(id, { filter: {} })).toMatchObject({ result: { partly: 1 } })
    expect(await packets(device)).toHaveLength(1)
    expect((await list(id)).items).toMatchObject([
      { identifier: 'p3', reason: 'DEVICE_UNKNOWN', stage: 'packet', attempts: 1, receivedAt: start },
      { identifier: 'p1', reason: 'DEVICE_UNKNOWN', stage: 'packet', attempts: 1, receivedAt: start },
    ])
  })

  test('stores an uplink once, however often it came and whenever it is replayed', async () => {
    const { id, key, owner } = await webhook()
    const uplink = { identifier: 'A1', data: { a: 1 }, time: '2026-06-15T11:59:00Z' }
    await post(key, uplink)
    await post(key, uplink)
    const device = await createDevice(app, owner, 'A1')
    await post(key, uplink)
    expect(await replay(id, { filter: {} })).toMatchObject({ result: { duplicates: 2 } })
    expect(await packets(device)).toHaveLength(1)
    expect((await list(id)).total).toBe(0)
  })

  test('recognises after weeks what another delivery has stored', async () => {
    const { id, key, owner } = await webhook()
    const uplink = { identifier: 'A1', data: { a: 1 }, time: '2026-06-15T11:59:00Z' }
    await post(key, uplink)
    const device = await createDevice(app, owner, 'A1')
    await post(key, uplink)
    await app.ctx.db.deleteFrom('packet_keys').where('device_id', '=', device).execute()
    clock.advance(20 * 24 * 3_600_000)
    const { api } = await app.login(adminName)
    const job = await api.letters.replay({ id, selection: { filter: {} } })
    await app.drain()
    expect(await api.job.get({ id: job.id })).toMatchObject({ result: { duplicates: 1 } })
    expect(await packets(device)).toHaveLength(1)
  })

  test('that is repeated after a crash stores nothing twice, also what has no identity of its own', async () => {
    const { id, key, owner } = await webhook()
    for (let n = 0; n < 5; n++) await post(key, { identifier: 'A1', data: { level: 7 } })
    const device = await createDevice(app, owner, 'A1')
    const copies = await app.ctx.db
      .selectFrom('dead_letters')
      .select('id')
      .where('connector_id', '=', id)
      .execute()
    // The crash: packets are stored, but the progress of the page is lost, so the letters still exist.
    await app.ctx.pool.query(`create function lose_note() returns trigger language plpgsql as $$
      begin raise exception 'the connection is lost'; end $$`)
    await app.ctx.pool.query(
      `create trigger lose_note before delete on dead_letters execute function lose_note()`,
    )
    const job = await app.api.letters.replay({ id, selection: { filter: {} } })
    await app.drain()
    expect(await packets(device)).toHaveLength(5)
    expect((await list(id)).total).toBe(copies.length)
    expect(await app.api.job.get({ id: job.id })).toMatchObject({ state: 'inprogress', done: 0 })
    await app.ctx.pool.query('drop trigger lose_note on dead_letters')
    await app.ctx.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
    await app.drain()
    expect(await app.api.job.get({ id: job.id })).toMatchObject({
      state: 'done',
      done: 5,
      result: { duplicates: 5 },
    })
    expect(await packets(device)).toHaveLength(5)
    expect((await list(id)).total).toBe(0)
  })

  test('takes more than a page, oldest first', async () => {
    const { id, owner } = await webhook()
    await app.ctx.pool.query(
      `insert into dead_letters (received_at, account_id, connector_id, identifier, reason, body)
       select $1::timestamptz + n * interval '1 second', $2, $3, 'A1', 'DEVICE_UNKNOWN',
         format('{"identifier":"A1","data":{"n":%s}}', n) from generate_series(1, 1203) as n`,
      [start, app.rootAccountId, id],
    )
    const device = await createDevice(app, owner, 'A1')
    expect(await replay(id, { filter: {} })).toMatchObject({ done: 1203, result: { stored: 1203 } })
    const state = await app.ctx.db
      .selectFrom('states')
      .select('id')
      .where('twin_id', '=', device)
      .executeTakeFirstOrThrow()
    expect(await historyOf(app, state.id)).toHaveLength(1203)
  })

  test('of nothing is refused, and a finished one cannot be cancelled', async () => {
    const { id, key } = await webhook()
    await expect(app.api.letters.replay({ id, selection: { filter: {} } })).rejects.toMatchObject({
      code: 'DEAD_LETTER_NOT_FOUND',
    })
    await post(key, { identifier: 'a', data: 1 })
    const job = await replay(id, { filter: {} })
    await expect(app.api.job.cancel({ id: job.id })).rejects.toMatchObject({ code: 'BACKGROUND_JOB_STATE' })
    expect(await reasons(id)).toEqual([{ reason: 'DEVICE_UNKNOWN', count: 1 }])
    const { items } = await app.api.job.list({ resourceType: 'connector', resourceId: id })
    expect(items).toMatchObject([{ id: job.id, state: 'done' }])
  })
})
