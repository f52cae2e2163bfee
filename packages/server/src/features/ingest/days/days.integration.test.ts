import { randomInt } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { createDevice, createDriver } from '../../../../test/pipeline.ts'
import { type AskedPackets, packetsOf } from '../../objects/index.ts'

const clock = new FakeClock('2026-11-20T12:00:00.000Z')
const dayMs = 86_400_000
const firstMs = Date.parse('2026-10-28T00:00:00.000Z')
let app: TestApp
let connectorId: number

beforeAll(async () => {
  app = await startApp({ clock, config: { compactAfterDays: 7 } })
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: 'Webhook',
    settings: { preset: 'standard', template: '' },
  })
  connectorId = connector.id
})

let serial = 0
const newDevice = async () => {
  const script = 'function decodeUplink({ bytes }) { return { data: { level: bytes[0] } } }'
  const driver = await createDriver(app, script, [{ key: 'level', valueType: 'number' }])
  const owner = { id: connectorId, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  return createDevice(app, owner, `D${++serial}`, driver)
}

interface Given {
  at: string
  payload?: string
  meta?: string
  variables?: string | null
  error?: string | null
  fCnt?: string | null
}

/** Stores packets like those that were received then. */
async function store(deviceId: number, packets: readonly Given[]): Promise<void> {
  await app.app.series.prepareMonths(
    'packets',
    packets.map(({ at }) => new Date(at)),
  )
  for (const { at, payload = '01', meta = '{}', variables = null, error = null, fCnt = null } of packets)
    await sql`
      insert into packets (received_at, time, account_id, connector_id, device_id, f_cnt, payload, encoding, meta, variables,
        error, duration_us)
      values (${at}::timestamptz, ${at}::timestamptz - interval '1 second', ${app.rootAccountId}, ${connectorId}, ${deviceId},
        ${fCnt}::bigint, ${payload}, 'hex', ${meta}::json, ${variables}::json, ${error}::jsonb, 7)`.execute(
      app.ctx.db,
    )
}

/** Every column as it is stored. */
async function read(asked: AskedPackets): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select concat_ws(' | ', id, device_id, received_at, time, connector_id, f_port, f_cnt, payload, encoding, meta, variables,
      error, driver_id, driver_version, duration_us) as text
    from ${packetsOf(asked)} p order by received_at ${asked.order === 'asc' ? sql`asc` : sql`desc`}, id ${
      asked.order === 'asc' ? sql`asc` : sql`desc`
    }`.execute(app.ctx.db)
  return rows.map(({ text }) => text)
}

async function shapeOf(deviceId: number): Promise<{ packets: number; days: number }> {
  const { rows } = await sql<{ packets: number; days: number }>`
    select (select count(*) from packets where device_id = ${deviceId})::int as packets,
      (select count(*) from packet_days where device_id = ${deviceId})::int as days`.execute(app.ctx.db)
  return rows[0] as { packets: number; days: number }
}

const iso = (ms: number) => new Date(ms).toISOString()

describe('packets of past days', () => {
  it('stay as they were, whatever is in them', async () => {
    const device = await newDevice()
    await store(device, [
      {
        at: '2026-10-28T00:00:00.000001Z',
        payload: '"\\n\t\u{1f600}',
        meta: '{"a" : "\\u0000", "a": "\\ud800", "b":1.0}',
      },
      {
        at: '2026-10-28T23:59:59.999999Z',
        fCnt: '9223372036854775807',
        variables: '{ "x":"\\"" }',
        error: '{"code":"X"}',
      },
      { at: '2026-10-28T12:00:00Z', variables: 'null' },
      { at: '2026-10-29T00:00:00Z', meta: '[1e400, 0.10]' },
      { at: '2026-11-12T23:59:59Z' },
      { at: '2026-11-13T00:00:00Z' },
    ])
    const all = () => read({ device, order: 'asc', limit: 100 })
    const before = await all()
    expect(before).toHaveLength(6)
    await app.app.ingest.compact()
    expect(await shapeOf(device), 'the last seven days are left alone').toEqual({ packets: 1, days: 3 })
    expect(await all()).toEqual(before)
    await app.app.ingest.compact()
    expect(await shapeOf(device)).toEqual({ packets: 1, days: 3 })
  })

  it('are found by everybody like those that are rows', async () => {
    const device = await newDevice()
    const seed = randomInt(2 ** 31)
    console.log(`seed ${seed}`)
    const random = randomOf(seed)
    const times = Array.from({ length: 60 }, () => firstMs + Math.floor(random() * 20 * 48) * (dayMs / 48))
    await store(
      device,
      times.map((ms, index) => ({
        at: iso(ms),
        ...(index % 5 === 0 && { error: '{"code":"X","message":""}' }),
      })),
    )
    const asks = Array.from({ length: 60 }, (): AskedPackets => {
      const pick = () => new Date(firstMs + Math.floor(random() * 22 * 48 - 48) * (dayMs / 48))
      return {
        device: random() < 0.5 ? device : (sql`${device}::int` as RawBuilder<unknown>),
        ...(random() < 0.5 && { since: pick() }),
        ...(random() < 0.5 && { before: pick() }),
        ...(random() < 0.5 && { beyond: { receivedAt: pick(), id: Math.floor(random() * 400) } }),
        errorsOnly: random() < 0.3,
        order: random() < 0.5 ? 'asc' : 'desc',
        limit: 1 + Math.floor(random() * 40),
      }
    })
    const answers = []
    for (const ask of asks) answers.push(await read(ask))
    await app.app.ingest.compact()
    expect((await shapeOf(device)).days).toBeGreaterThan(5)
    for (const [index, ask] of asks.entries())
      expect(await read(ask), `question ${index}`).toEqual(answers[index])
    const pages = await pagesOf(device)
    expect(pages).toHaveLength(60)
    expect(pages).toEqual(pages.toSorted((a, b) => b.localeCompare(a)))
  })

  it('are compacted in several rows where there are many, and beside those that came late', async () => {
    const device = await newDevice()
    await app.app.series.prepareMonths('packets', [new Date(firstMs)])
    await sql`
      insert into packets (received_at, time, account_id, connector_id, device_id, payload, encoding, meta, duration_us)
      select ${new Date(firstMs)}::timestamptz + n * interval '10 seconds', ${new Date(firstMs)}::timestamptz, ${app.rootAccountId},
        ${connectorId}, ${device}, lpad(to_hex(n), 4, '0'), 'hex', '{}', 0
      from generate_series(0, 4999) as n`.execute(app.ctx.db)
    await app.app.ingest.compact()
    expect(await shapeOf(device)).toEqual({ packets: 0, days: 3 })
    await store(device, [{ at: iso(firstMs + 15_000), payload: 'late' }])
    await app.app.ingest.compact()
    expect(await shapeOf(device)).toEqual({ packets: 0, days: 4 })
    const payloads = async (asked: AskedPackets) =>
      (await read(asked)).map((text) => text.split(' | ')[5] ?? text)
    const first = await payloads({ device, order: 'asc', limit: 3 })
    expect(first.map((text) => text.includes('late'))).toEqual([false, false, true])
    const newest = await read({ device, order: 'desc', limit: 2 })
    expect(newest.map((text) => text.includes('1387') || text.includes('1386'))).toEqual([true, true])
    const { rows } = await sql<{ bytes: number }>`
      select sum(pg_column_size(packets))::float8 / 5001 as bytes from packet_days where device_id = ${device}`.execute(
      app.ctx.db,
    )
    expect(rows[0]?.bytes, 'bytes per packet').toBeLessThan(60)
  })

  it('are decoded again like any other', async () => {
    const device = await newDevice()
    await store(
      device,
      Array.from({ length: 10 }, (_, n) => ({ at: iso(firstMs + n * 3_600_000), payload: `0${n}` })),
    )
    await app.app.ingest.compact()
    expect(await shapeOf(device)).toEqual({ packets: 0, days: 1 })
    const { id } = await app.api.letters.redecode({
      deviceIds: [device],
      from: iso(firstMs),
      to: iso(firstMs + dayMs),
    })
    await app.drain()
    expect(await app.api.job.get({ id })).toMatchObject({ state: 'done', done: 10 })
    const texts = await read({ device, order: 'asc', limit: 100 })
    expect(texts.map((text) => /"level":(\d)/.exec(text.replaceAll(' ', ''))?.[1])).toEqual([...'0123456789'])
    await app.app.ingest.compact()
    expect(await shapeOf(device)).toEqual({ packets: 0, days: 1 })
  })
})

/** All packets of a device as the console lists them, in pages. */
async function pagesOf(device: number): Promise<string[]> {
  const found: string[] = []
  let place: { before?: string; beforeId?: number } = {}
  for (;;) {
    const { items } = await app.api.virtualdevice.packets({ id: device, limit: 7, ...place })
    found.push(...items.map(({ receivedAt }) => receivedAt))
    const last = items.at(-1)
    if (last === undefined) return found
    place = { before: last.receivedAt, beforeId: last.id }
  }
}

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
