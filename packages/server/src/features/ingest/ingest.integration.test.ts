import type { StandardPacket } from '@leitstand/contract/bridge'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock, startApp, type TestApp } from '../../../test/kit.ts'
import {
  createConnector,
  createDevice,
  createDriver,
  createState,
  createTwin,
  currentOf,
  historyOf,
} from '../../../test/pipeline.ts'
import { letterLimits } from '../letters/store.ts'

const start = '2026-06-15T12:00:00.000Z'
const clock = new FakeClock(start)
let app: TestApp
let connector: Awaited<ReturnType<typeof createConnector>>

const thermometer = `function decodeUplink(input) {
  return { data: { temperature: (input.bytes[0] << 8 | input.bytes[1]) / 10, battery: input.bytes[2] } }
}`

beforeAll(async () => {
  app = await startApp({ clock })
})
beforeEach(async () => {
  connector = await createConnector(app)
})

function submit(packets: StandardPacket[], dedupKeys?: (string | undefined)[], to = connector) {
  return app.app.ingest.submit({
    connector: to,
    packets,
    raw: JSON.stringify(packets),
    receivedAt: clock.now(),
    ...(dedupKeys === undefined ? {} : { dedupKeys }),
  })
}

const letters = (connectorId = connector.id) =>
  app.ctx.db
    .selectFrom('dead_letters')
    .select(['reason', 'identifier', 'detail', 'body'])
    .where('connector_id', '=', connectorId)
    .orderBy('id')
    .execute()
const positionOf = (twinId: number) =>
  app.ctx.db
    .selectFrom('twins')
    .select(['latitude', 'longitude'])
    .where('id', '=', twinId)
    .executeTakeFirstOrThrow()
const packets = (deviceId: number) =>
  app.ctx.db.selectFrom('packets').selectAll().where('device_id', '=', deviceId).orderBy('id').execute()

describe('a packet of a virtual device', () => {
  it('is decoded by its driver and becomes values of states that are made for its variables', async () => {
    const driver = await createDriver(app, thermometer, [
      { key: 'temperature', title: 'Temperatur', unit: '°C' },
    ])
    const device = await createDevice(app, connector, 'A81758FFFE000001', driver)
    const outcome = await submit([
      { identifier: 'a8-17-58-ff-fe-00-00-01', payload: '00E655', meta: { lora: { fport: 1, fcnt: 5 } } },
    ])
    expect(outcome).toMatchObject({ accepted: 1, duplicates: 0, rejected: [] })
    expect(await currentOf(app, device)).toEqual({ temperature: 23, battery: 85 })
    expect(await packets(device)).toMatchObject([
      {
        f_port: 1,
        f_cnt: 5,
        payload: '00e655',
        encoding: 'hex',
        variables: { temperature: 23, battery: 85 },
        error: null,
      },
    ])
    const states = await app.ctx.db
      .selectFrom('states')
      .select(['key', 'title', 'unit'])
      .where('twin_id', '=', device)
      .execute()
    expect(states).toEqual(
      expect.arrayContaining([
        { key: 'temperature', title: 'Temperatur', unit: '°C' },
        { key: 'battery', title: 'Battery', unit: '' },
      ]),
    )
    const live = await app.ctx.db
      .selectFrom('device_live')
      .selectAll()
      .where('twin_id', '=', device)
      .executeTakeFirstOrThrow()
    expect(live).toMatchObject({ packets: 1, last_error: null, health: 0, last_seen: new Date(start) })
  })

  it('is read by the layouts of its driver, with calculated variables, or kept with the reason', async () => {
    const temperature = {
      type: 'integer' as const,
      target: 't',
      offset: 1,
      length: 2,
      signed: true,
      factor: 0.1,
    }
    const driver = await app.api.devicedrivers.create({
      accountId: app.rootAccountId,
      title: 'Layouts',
      parser: {
        kind: 'multi',
        layouts: [{ when: { bytes: { offset: 0, value: '01' } }, fields: [temperature] }],
      },
      calculated: [{ key: 'f', expression: 't * 1.8 + 32' }],
    })
    const device = await createDevice(app, connector, 'layouts', driver.id)
    await submit(['01fff1', '02fff1', '01'].map((payload) => ({ identifier: 'layouts', payload })))
    await submit([{ identifier: 'layouts', data: { t: 1 } }])
    expect(await currentOf(app, device)).toEqual({ t: -1.5, f: 29.3 })
    const stored = await packets(device)
    expect(stored.map(({ variables, error }) => variables ?? error)).toMatchObject([
      { t: -1.5, f: 29.3 },
      { code: 'PARSER_NO_LAYOUT' },
      { code: 'PARSER_PAYLOAD_TOO_SHORT', message: 't needs bytes 1 to 2, the payload has 1' },
      { code: 'PARSER_NEEDS_BYTES' },
    ])
  })

  it('needs no driver when its payload is JSON', async () => {
    const device = await createDevice(app, connector, 'meter-1')
    await submit([{ identifier: 'meter-1', data: { volume: 12.5, valve: { open: true }, note: 'ok' } }])
    expect(await currentOf(app, device)).toEqual({ volume: 12.5, 'valve.open': true, note: 'ok' })
  })

  it('without a driver for its bytes is kept with that reason', async () => {
    const device = await createDevice(app, connector, 'nodriver')
    const outcome = await submit([{ identifier: 'nodriver', payload: '0102' }])
    expect(outcome.decoded).toMatchObject([{ error: { code: 'DRIVER_MISSING' } }])
    expect(await packets(device)).toMatchObject([{ error: { code: 'DRIVER_MISSING' }, variables: null }])
  })

  it('that comes twice is stored once, across batches and days', async () => {
    const driver = await createDriver(app, thermometer)
    const device = await createDevice(app, connector, 'twice', driver)
    const packet = { identifier: 'twice', payload: '00e655', meta: { lora: { fport: 1, fcnt: 5 } } }
    expect(await submit([packet, packet], ['s/5/1', 's/5/1'])).toMatchObject({ accepted: 1, duplicates: 1 })
    expect(await submit([packet], ['s/5/1'])).toMatchObject({ accepted: 0, duplicates: 1 })
    clock.advance(13 * 3_600_000)
    expect(await submit([packet], ['s/5/1'])).toMatchObject({ accepted: 0, duplicates: 1 })
    expect(await submit([packet], ['rejoined/5/1'])).toMatchObject({ accepted: 1 })
    clock.set(start)
    expect(await packets(device)).toHaveLength(2)
  })

  it('that is late goes into the history and leaves the current value alone', async () => {
    const device = await createDevice(app, connector, 'late')
    await submit([{ identifier: 'late', data: { t: 2 }, time: '2026-06-15T11:00:00Z' }])
    await submit([{ identifier: 'late', data: { t: 1 }, time: '2026-06-15T10:00:00Z' }])
    expect(await currentOf(app, device)).toEqual({ t: 2 })
    const state = await app.ctx.db
      .selectFrom('states')
      .select('id')
      .where('twin_id', '=', device)
      .executeTakeFirstOrThrow()
    expect(await historyOf(app, state.id)).toEqual([
      ['2026-06-15T10:00:00.000Z', 1],
      ['2026-06-15T11:00:00.000Z', 2],
    ])
  })

  it('with a value of the wrong type keeps the rest and says so', async () => {
    const device = await createDevice(app, connector, 'types')
    await submit([{ identifier: 'types', data: { t: 1, u: 1 } }])
    clock.advance(1000)
    const outcome = await submit([{ identifier: 'types', data: { t: 'cold', u: 2 } }])
    expect(outcome.decoded).toMatchObject([
      { error: { code: 'VALUE_WRONG_TYPE', message: expect.stringContaining('t') } },
    ])
    expect(await currentOf(app, device)).toEqual({ t: 1, u: 2 })
  })

  it.each([
    ['throws', 'module.exports = () => { throw new Error("broken") }', 'SCRIPT_ERROR'],
    ['never ends', 'module.exports = () => { for (;;) {} }', 'SCRIPT_TIMEOUT'],
    ['answers too much', 'module.exports = () => ({ text: "x".repeat(100000) })', 'SCRIPT_OUTPUT_TOO_LARGE'],
  ])('whose driver %s is kept with the reason, and others go on', async (name, script, code) => {
    const bad = await createDevice(app, connector, `bad ${name}`, await createDriver(app, script))
    const good = await createDevice(app, connector, `good ${name}`, await createDriver(app, thermometer))
    const outcome = await submit([
      { identifier: `bad ${name}`, payload: '0102' },
      { identifier: `good ${name}`, payload: '00e655' },
    ])
    expect(outcome).toMatchObject({ accepted: 2, rejected: [] })
    expect(await packets(bad)).toMatchObject([{ error: { code }, variables: null, payload: '0102' }])
    expect(await currentOf(app, good)).toMatchObject({ temperature: 23 })
  })

  it('follows a driver as soon as another version is published', async () => {
    const driver = await createDriver(app, thermometer)
    const device = await createDevice(app, connector, 'versions', driver)
    await submit([{ identifier: 'versions', payload: '00e655' }])
    await app.ctx.db
      .insertInto('driver_versions')
      .values({ driver_id: driver, number: 2, script: 'module.exports = () => ({ temperature: 99 })' })
      .execute()
    await app.ctx.db.updateTable('drivers').set({ published_version: 2 }).where('id', '=', driver).execute()
    await app.ctx.configChanges.settle()
    clock.advance(1000)
    await submit([{ identifier: 'versions', payload: '00e655' }])
    expect(await currentOf(app, device)).toMatchObject({ temperature: 99 })
  })
})

describe('what cannot be used', () => {
  it('is kept with its reason', async () => {
    await createDevice(app, connector, 'known')
    const outcome = await submit([
      { identifier: 'unknown', data: 1 },
      { identifier: 'known', data: { t: 1 }, time: '2020-01-01T00:00:00Z' },
      { identifier: 'known', data: { t: 1 }, time: '2026-06-17T00:00:00Z' },
      { routing: { meterNo: '1' }, variable: 'energy', data: { value: 1 } },
      { identifier: 'known', data: { t: 5 } },
    ])
    expect(outcome.accepted).toBe(1)
    expect(outcome.rejected.map(({ code }) => code)).toEqual((await letters()).map(({ reason }) => reason))
    expect((await letters()).map(({ reason, identifier }) => [identifier, reason])).toEqual([
      ['unknown', 'DEVICE_UNKNOWN'],
      ['known', 'PACKET_TOO_OLD'],
      ['known', 'PACKET_TOO_FAR_AHEAD'],
      ['meterNo=1', 'ROUTING_UNMATCHED'],
    ])
  })

  it('is kept for a disabled device', async () => {
    const device = await createDevice(app, connector, 'off')
    await app.ctx.db.updateTable('twins').set({ disabled: true }).where('id', '=', device).execute()
    await app.ctx.configChanges.settle()
    expect((await submit([{ identifier: 'off', data: 1 }])).rejected).toMatchObject([
      { code: 'DEVICE_DISABLED' },
    ])
  })

  it('is bounded per connector: 25 000 messages of unknown devices leave the newest', async () => {
    const many = Array.from({ length: 50 }, (_, batch) =>
      submit(Array.from({ length: 500 }, (_, index) => ({ identifier: `flood-${batch}-${index}`, data: 1 }))),
    )
    const outcomes = await Promise.all(many)
    expect(outcomes.reduce((total, { rejected }) => total + rejected.length, 0)).toBe(25_000)
    await app.app.letters.trim()
    const { count } = await app.ctx.db
      .selectFrom('dead_letters')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('connector_id', '=', connector.id)
      .executeTakeFirstOrThrow()
    expect(count).toBe(letterLimits.perConnectorMax)
    const [newest] = (await letters()).slice(-1)
    expect(newest?.identifier).toMatch(/^flood-/)
  })

  it('does not take its batch with it when the database cannot hold it', async () => {
    const device = await createDevice(app, connector, 'fine')
    const poisoned = await createDevice(app, connector, 'poisoned')
    const [nul, fine] = await Promise.all([
      submit([{ identifier: 'poisoned', data: { text: 'a\u0000b' } }]),
      submit([{ identifier: 'fine', data: { t: 7 } }]),
    ])
    expect(nul.rejected).toMatchObject([{ code: 'PACKET_INVALID' }])
    expect(fine).toMatchObject({ accepted: 1, rejected: [] })
    expect(await currentOf(app, device)).toEqual({ t: 7 })
    expect(await packets(poisoned)).toEqual([])
    expect(await letters()).toMatchObject([{ reason: 'PACKET_INVALID' }])
  })
})

describe('states of twins', () => {
  it('take a value of a connector by identifier and variable', async () => {
    const twin = await createTwin(app, connector)
    await createState(app, twin, {
      key: 'level',
      source: 'connector',
      connectorId: connector.id,
      identifier: 'tank',
      variable: 'fill.level',
    })
    await createState(app, twin, {
      key: 'raw',
      source: 'connector',
      connectorId: connector.id,
      identifier: 'tank',
      valueType: 'json',
    })
    expect(await submit([{ identifier: 'tank', data: { fill: { level: 81 } } }])).toMatchObject({
      accepted: 1,
    })
    expect(await currentOf(app, twin)).toEqual({ level: 81, raw: { fill: { level: 81 } } })
  })

  it('take routing packets by reference id, several twins at once', async () => {
    const twins = [await createTwin(app, connector), await createTwin(app, connector)]
    for (const twin of twins) {
      await app.ctx.db
        .insertInto('twin_references')
        .values({
          twin_id: twin,
          account_id: connector.accountId,
          name: 'meterNo',
          value: `4711-${connector.id}`,
        })
        .execute()
      await createState(app, twin, { key: 'energy', source: 'datarouting' })
    }
    const data = { value: 23.4, time: '2026-06-15T10:45:04Z' }
    await submit([{ routing: { meterNo: `4711-${connector.id}` }, variable: 'energy', data }])
    for (const twin of twins) expect(await currentOf(app, twin)).toEqual({ energy: 23.4 })
  })

  it('follow a device, its history included', async () => {
    const device = await createDevice(app, connector, 'source')
    await submit([{ identifier: 'source', data: { t: 1 }, time: '2026-06-15T09:00:00Z' }])
    const { id: source } = await app.ctx.db
      .selectFrom('states')
      .select('id')
      .where('twin_id', '=', device)
      .executeTakeFirstOrThrow()
    const twin = await createTwin(app, connector)
    const state = await createState(app, twin, {
      key: 't',
      source: 'virtual-device-aggregate',
      of: { stateIds: [source], method: 'latest' },
    })
    await submit([
      { identifier: 'source', data: { t: 3 }, time: '2026-06-15T11:00:00Z' },
      { identifier: 'source', data: { t: 2 }, time: '2026-06-15T10:00:00Z' },
    ])
    expect(await currentOf(app, twin)).toEqual({ t: 3 })
    expect(await historyOf(app, state)).toEqual([
      ['2026-06-15T10:00:00.000Z', 2],
      ['2026-06-15T11:00:00.000Z', 3],
    ])
  })

  it('are aggregated over several devices and over aggregates, after the commit', async () => {
    const [twin, above] = [await createTwin(app, connector), await createTwin(app, connector)]
    const rooms = [await createTwin(app, connector), await createTwin(app, connector)]
    const sources: number[] = []
    for (const [index, room] of rooms.entries()) {
      sources.push(
        await createState(app, room, {
          key: 't',
          source: 'connector',
          connectorId: connector.id,
          identifier: `room ${index}`,
          variable: 't',
        }),
      )
    }
    const average = await createState(app, twin, { key: 'average', of: { stateIds: sources, method: 'avg' } })
    await createState(app, above, { key: 'warmest', of: { stateIds: [average], method: 'max' } })
    await submit([{ identifier: 'room 0', data: { t: 20 }, time: '2026-06-15T10:00:00Z' }])
    await submit([
      { identifier: 'room 1', data: { t: 30 }, time: '2026-06-15T09:59:00Z' },
      { identifier: 'room 0', data: { t: 10 }, time: '2026-06-15T10:05:00Z' },
    ])
    expect(await currentOf(app, twin)).toEqual({ average: 20 })
    expect(await currentOf(app, above)).toEqual({ warmest: 20 })
    // The late reading of room 1 corrects the average at the time that was newest then.
    expect(await historyOf(app, average)).toEqual([
      ['2026-06-15T10:00:00.000Z', 25],
      ['2026-06-15T10:05:00.000Z', 20],
    ])
  })

  it('run their transformers; undefined drops the value', async () => {
    const twin = await createTwin(app, connector)
    const wiring = { source: 'connector', connectorId: connector.id, identifier: 'f' }
    await createState(app, twin, { ...wiring, key: 'celsius', transformer: 'return (value - 32) / 1.8' })
    await createState(app, twin, { ...wiring, key: 'alarm', transformer: 'if (value > 1000) return value' })
    await submit([{ identifier: 'f', data: 212 }])
    expect(await currentOf(app, twin)).toEqual({ celsius: 100 })
  })

  it('whose keys start with lat and lon move their twin', async () => {
    const device = await createDevice(app, connector, 'tracker')
    await submit([{ identifier: 'tracker', data: { latitude: 54.32, lon: 10.13, latency: 120 } }])
    expect(await positionOf(device)).toEqual({ latitude: 54.32, longitude: 10.13 })
  })

  it('do not move their twin back when they arrive late', async () => {
    const device = await createDevice(app, connector, 'late-tracker')
    const at = (time: string, lat: number) => ({
      identifier: 'late-tracker',
      data: { lat, lon: 10 },
      time: `2026-06-15T${time}Z`,
    })
    await submit([at('09:00:00', 1)])
    await submit([at('09:10:00', 2)])
    await submit([at('09:05:00', 3)])
    expect(await positionOf(device)).toEqual({ latitude: 2, longitude: 10 })
    await submit([at('09:30:00', 4), at('09:20:00', 5)])
    expect(await positionOf(device)).toEqual({ latitude: 4, longitude: 10 })
    await submit([at('09:15:00', 6), at('09:25:00', 7)])
    expect(await positionOf(device)).toEqual({ latitude: 4, longitude: 10 })
  })
})

describe('after storing', () => {
  it('an event says what was stored, for consumers that must not miss it', async () => {
    const followed = new Set<number>()
    app.app.series.follow((stateId) => followed.has(stateId))
    const device = await createDevice(app, connector, 'event')
    await submit([{ identifier: 'event', data: { t: 4 }, time: '2026-06-15T11:58:00Z' }])
    const { id } = await app.ctx.db
      .selectFrom('states')
      .select('id')
      .where('twin_id', '=', device)
      .executeTakeFirstOrThrow()
    await app.drain()
    followed.add(id)
    await submit([{ identifier: 'event', data: { t: 5, other: 6 }, time: '2026-06-15T11:59:00Z' }])
    const events = await app.ctx.db
      .selectFrom('outbox')
      .select('payload')
      .where('topic', '=', 'values.stored')
      .orderBy('id', 'desc')
      .limit(1)
      .execute()
    const timeMs = Date.parse('2026-06-15T11:59:00Z')
    const source = {
      kind: 'packet',
      connectorId: connector.id,
      deviceId: device,
      receivedMs: clock.now().getTime(),
    }
    expect(events).toEqual([
      { payload: { sources: [source], values: [[id, device, 't', timeMs, 5, true, 0]] } },
    ])
  })
})
