import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import {
  createConnector,
  createDevice,
  createDriver,
  createState,
  createTwin,
  currentOf,
  historyOf,
} from '../../../../test/pipeline.ts'
import { wrongRollups } from '../../../../test/rollups.ts'

const start = Date.parse('2026-06-15T12:00:00.000Z')
const minute = 60_000
const clock = new FakeClock(new Date(start))
const period = { from: '2026-06-15T00:00:00Z', to: '2026-06-17T00:00:00Z' }
let app: TestApp
let connector: Awaited<ReturnType<typeof createConnector>>

const inTenths =
  'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0], battery: bytes[1] } } }'
const right =
  'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10, humidity: bytes[1] } } }'

beforeAll(async () => {
  app = await startApp({ clock })
})
beforeEach(async () => {
  clock.set(new Date(start))
  connector = await createConnector(app)
})

/** An uplink `atMinute` minutes after the start. */
async function uplink(identifier: string, payload: string, atMinute: number) {
  const receivedAt = new Date(start + atMinute * minute)
  clock.set(receivedAt)
  const packet = { identifier, payload, time: receivedAt.toISOString() }
  await app.app.ingest.submit({ connector, packets: [packet], raw: JSON.stringify(packet), receivedAt })
  // Several values in a row would be computed together.
  await app.app.series.settle()
}

async function publish(driverId: number, number: number, script: string) {
  await app.ctx.db.insertInto('driver_versions').values({ driver_id: driverId, number, script }).execute()
  await app.ctx.db
    .updateTable('drivers')
    .set({ published_version: number })
    .where('id', '=', driverId)
    .execute()
  await app.ctx.configChanges.settle()
}

const stateOf = async (twinId: number, key: string) =>
  (
    await app.ctx.db
      .selectFrom('states')
      .select('id')
      .where('twin_id', '=', twinId)
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
  ).id
const history = async (twinId: number, key: string) =>
  (await historyOf(app, await stateOf(twinId, key))).map(([time, value]) => [
    (Date.parse(String(time)) - start) / minute,
    value,
  ])
const packets = (deviceId: number) =>
  app.ctx.db
    .selectFrom('packets')
    .select(['variables', 'error', 'driver_version'])
    .where('device_id', '=', deviceId)
    .orderBy('received_at')
    .execute()

type Selection = Parameters<typeof app.api.letters.redecode>[0]

async function redecode(selection: Omit<Selection, 'from' | 'to'> & Partial<Selection>) {
  const job = await app.api.letters.redecode({ ...period, ...selection })
  await app.drain()
  return app.api.job.get({ id: job.id })
}

describe('decoding stored packets again', () => {
  test('rewrites packets, puts values right, adds new ones, deletes those that are none', async () => {
    const driver = await createDriver(app, inTenths)
    const device = await createDevice(app, connector, 'A1', driver)
    await uplink('A1', 'c83c', 0)
    await uplink('A1', 'd23d', 10)
    expect(await currentOf(app, device)).toEqual({ temperature: 210, battery: 61 })
    await publish(driver, 2, right)
    const job = await redecode({ deviceIds: [device] })
    expect(job).toMatchObject({
      state: 'done',
      total: 2,
      done: 2,
      result: { decoded: 2, changed: 2, valuesAdded: 2, valuesChanged: 2, valuesDeleted: 2 },
    })
    expect(await packets(device)).toEqual([
      { variables: { temperature: 20, humidity: 60 }, error: null, driver_version: 2 },
      { variables: { temperature: 21, humidity: 61 }, error: null, driver_version: 2 },
    ])
    expect(await history(device, 'temperature')).toEqual([
      [0, 20],
      [10, 21],
    ])
    expect(await history(device, 'battery')).toEqual([])
    expect(await currentOf(app, device)).toEqual({ temperature: 21, humidity: 61 })
    // repeating it changes nothing
    const again = await redecode({ deviceIds: [device] })
    expect(again.result).toEqual({ decoded: 2 })
  })

  test('shows beforehand what would change, and changes nothing', async () => {
    const driver = await createDriver(app, inTenths)
    const device = await createDevice(app, connector, 'A1', driver)
    for (let n = 0; n < 30; n++) await uplink('A1', 'c83c', n)
    await app.ctx.db
      .insertInto('driver_versions')
      .values({ driver_id: driver, number: 2, script: right })
      .execute()
    const using = { driverId: driver, number: 2 }
    const preview = await app.api.letters.redecodePreview({ ...period, driverId: driver, using, sample: 20 })
    expect(preview).toMatchObject({
      devices: 1,
      packets: 30,
      packetsMore: false,
      sampled: 20,
      same: 0,
      different: 20,
      errors: { before: 0, after: 0, vanish: 0, appear: 0, kinds: [] },
    })
    expect(preview.variables).toEqual([
      {
        key: 'battery',
        appears: 0,
        vanishes: 20,
        changes: 0,
        same: 0,
        example: { before: 60, after: null },
      },
      {
        key: 'humidity',
        appears: 20,
        vanishes: 0,
        changes: 0,
        same: 0,
        example: { before: null, after: 60 },
      },
      {
        key: 'temperature',
        appears: 0,
        vanishes: 0,
        changes: 20,
        same: 0,
        example: { before: 200, after: 20 },
      },
    ])
    expect(preview.examples[0]).toMatchObject({
      before: { variables: { temperature: 200, battery: 60 }, driverVersion: 1 },
      after: { variables: { temperature: 20, humidity: 60 }, driverVersion: 2 },
    })
    expect((await packets(device))[0]).toMatchObject({ driver_version: 1 })
  })

  test('gives packets that failed their values, and takes them from those that fail now', async () => {
    const driver = await createDriver(app, 'function decodeUplink() { throw new Error("broken") }')
    const device = await createDevice(app, connector, 'A1', driver)
    await uplink('A1', 'c83c', 0)
    await publish(driver, 2, right)
    await uplink('A1', 'd23d', 10)
    const preview = await app.api.letters.redecodePreview({ ...period, deviceIds: [device] })
    expect(preview).toMatchObject({ same: 1, different: 1, errors: { before: 1, after: 0, vanish: 1 } })
    const job = await redecode({ deviceIds: [device], errorsOnly: true })
    expect(job).toMatchObject({ done: 1, result: { decoded: 1, changed: 1, valuesAdded: 2 } })
    expect(await history(device, 'temperature')).toEqual([
      [0, 20],
      [10, 21],
    ])
    const failing = await redecode({ deviceIds: [device], using: { driverId: driver, number: 1 } })
    expect(failing.result).toMatchObject({ errors: 2, valuesDeleted: 4 })
    expect(await currentOf(app, device)).toEqual({})
    const live = await app.ctx.db
      .selectFrom('device_live')
      .select('last_error')
      .where('twin_id', '=', device)
      .executeTakeFirstOrThrow()
    expect(live.last_error).toMatchObject({ code: 'SCRIPT_ERROR' })
  })

  test('brings back values that had the wrong type, after the state was mended', async () => {
    const device = await createDevice(app, connector, 'A1')
    const state = await createState(app, device, { key: 'level', source: 'connector', variable: 'level' })
    const packet = { identifier: 'A1', data: { level: 'full' } }
    await app.app.ingest.submit({
      connector,
      packets: [packet],
      raw: JSON.stringify(packet),
      receivedAt: clock.now(),
    })
    expect(await packets(device)).toMatchObject([
      { variables: { level: 'full' }, error: { code: 'VALUE_WRONG_TYPE' } },
    ])
    await app.ctx.db.updateTable('states').set({ value_type: 'text' }).where('id', '=', state).execute()
    await app.ctx.configChanges.settle()
    expect(await redecode({ deviceIds: [device] })).toMatchObject({ result: { valuesAdded: 1, changed: 1 } })
    expect(await packets(device)).toMatchObject([{ error: null }])
    expect(await currentOf(app, device)).toEqual({ level: 'full' })
  })

  test('leaves a newer current value alone, and moves the one that is the newest', async () => {
    const driver = await createDriver(app, inTenths)
    const device = await createDevice(app, connector, 'A1', driver)
    await uplink('A1', 'c83c', 0)
    await uplink('A1', 'd23d', 10)
    await publish(driver, 2, right)
    await redecode({ deviceIds: [device], to: new Date(start + minute).toISOString() })
    expect(await currentOf(app, device)).toMatchObject({ temperature: 210, humidity: 60 })
    expect(await history(device, 'temperature')).toEqual([
      [0, 20],
      [10, 210],
    ])
  })

  test('is followed by transformers, states of twins, and aggregates as if it had been so from the start', async () => {
    const driver = await createDriver(app, inTenths)
    const wrong = await createDevice(app, connector, 'A1', driver)
    const other = await createDevice(app, connector, 'A2', await createDriver(app, right))
    for (const device of [wrong, other])
      await createState(app, device, { key: 'temperature', source: 'connector', variable: 'temperature' })
    const sources = [await stateOf(wrong, 'temperature'), await stateOf(other, 'temperature')]
    const twin = await createTwin(app, connector)
    const bound = await createState(app, twin, {
      key: 'bound',
      transformer: 'return value * 2',
      of: { stateIds: [sources[0] as number], method: 'latest' },
    })
    const sum = await createState(app, twin, { key: 'sum', of: { stateIds: sources, method: 'sum' } })
    await createState(app, twin, { key: 'onSum', of: { stateIds: [sum], method: 'latest' } })
    await createState(app, twin, { key: 'maxOfBoth', of: { stateIds: [sum, bound], method: 'max' } })
    await app.ctx.configChanges.settle()
    app.app.series.catalog.clear()
    await uplink('A1', '6400', 0) // 100, right: 10
    await uplink('A2', '3200', 1) // 5
    await uplink('A1', 'c800', 2) // 200, right: 20
    await uplink('A2', '3c00', 3) // 6
    expect(await history(twin, 'sum')).toEqual([
      [0, 100],
      [1, 105],
      [2, 205],
      [3, 206],
    ])
    await publish(driver, 2, right)
    const job = await redecode({ deviceIds: [wrong] })
    expect(job).toMatchObject({ state: 'done', result: { aggregates: 3 } })
    expect(await history(twin, 'bound')).toEqual([
      [0, 20],
      [2, 40],
    ])
    // Also between the corrected values, where the other source moved it.
    const right4 = [
      [0, 10],
      [1, 15],
      [2, 25],
      [3, 26],
    ]
    expect(await history(twin, 'sum')).toEqual(right4)
    expect(await history(twin, 'onSum')).toEqual(right4)
    expect(await history(twin, 'maxOfBoth')).toEqual([
      [0, 20],
      [1, 20],
      [2, 40],
      [3, 40],
    ])
    expect(await currentOf(app, twin)).toEqual({ bound: 40, sum: 26, onSum: 26, maxOfBoth: 40 })
  })

  test('wakes no rule, and roll-ups follow', async () => {
    const driver = await createDriver(app, inTenths)
    const device = await createDevice(app, connector, 'A1', driver)
    await uplink('A1', 'c83c', 0)
    const twin = await createTwin(app, connector)
    const temperature = await stateOf(device, 'temperature')
    const bound = await createState(app, twin, {
      key: 'bound',
      of: { stateIds: [temperature], method: 'latest' },
    })
    const rule = await app.api.ddr.create({
      dtwinId: twin,
      title: 'Cool',
      metrics: [{ alias: 't', stateId: bound }],
      throttleHours: 0,
      conditions: { op: 'lt', left: { metric: 't' }, right: { value: 50 } },
      actions: [{ kind: 'alarm', severity: 'warning', message: 'cool' }],
    })
    await app.drain()
    await app.app.series.rollUp()
    await publish(driver, 2, right)
    await redecode({ deviceIds: [device] })
    expect(await currentOf(app, twin)).toEqual({ bound: 20 })
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items).toEqual([])
    clock.advance(48 * 60 * minute)
    await app.app.series.rollUp()
    const states = [temperature, bound, await stateOf(device, 'battery'), await stateOf(device, 'humidity')]
    expect(await wrongRollups(app.ctx.db, states)).toEqual([])
  })

  test('takes many devices and pages, goes on after a crash, and can be cancelled and resumed', async () => {
    const driver = await createDriver(app, inTenths)
    const devices: number[] = []
    for (const name of ['A1', 'A2', 'A3']) devices.push(await createDevice(app, connector, name, driver))
    const receivedAt = clock.now()
    for (let from = 0; from < 1200; from += 200) {
      const of = Array.from({ length: 200 }, (_, n) => from + n)
      const many = of.map((n) => ({
        identifier: `A${(n % 3) + 1}`,
        payload: 'c83c',
        time: new Date(start + n * 1000).toISOString(),
      }))
      await app.app.ingest.submit({ connector, packets: many, raw: '', receivedAt })
    }
    await publish(driver, 2, right)
    // The second page fails at its last statement, as after a lost connection: all of it is rolled back.
    await app.ctx.pool.query(`create function lose_page() returns trigger language plpgsql as $$
      begin raise exception 'the connection is lost'; end $$`)
    await app.ctx.pool.query(`create trigger lose_page before update on background_jobs for each row
      when (old.done > 0 and new.done > old.done) execute function lose_page()`)
    const job = await app.api.letters.redecode({ ...period, driverId: driver })
    await app.drain()
    const stopped = await app.api.job.get({ id: job.id })
    expect(stopped).toMatchObject({ state: 'inprogress', done: 500, result: { decoded: 500, changed: 500 } })
    const { rows } = await app.ctx.pool.query(
      'select count(*)::int as n from packets where device_id = any($1) and driver_version = 2',
      [devices],
    )
    expect(rows).toEqual([{ n: 500 }])
    expect(await app.api.job.cancel({ id: job.id })).toMatchObject({ cancelRequested: true })
    await app.ctx.pool.query('drop trigger lose_page on background_jobs')
    await app.ctx.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
    await app.drain()
    expect(await app.api.job.get({ id: job.id })).toMatchObject({ state: 'canceled', done: 500 })
    expect(await app.api.job.retry({ id: job.id })).toMatchObject({ state: 'created', done: 500 })
    await app.drain()
    expect(await app.api.job.get({ id: job.id })).toMatchObject({
      state: 'done',
      total: 1200,
      done: 1200,
      result: { decoded: 1200, changed: 1200, valuesChanged: 1200, valuesAdded: 1200, valuesDeleted: 1200 },
    })
  })

  test('is for those who may change the devices', async () => {
    const driver = await createDriver(app, inTenths)
    const device = await createDevice(app, connector, 'A1', driver)
    await uplink('A1', 'c83c', 0)
    const other = await createAccount(app)
    const writer = await createUser(app, other, [
      { roleId: await createRole(app, [{ subject: 'VirtualDevice', actions: ['read', 'write'] }]) },
    ])
    const reader = await createUser(app, { id: app.rootAccountId, scopeId: app.rootScopeId }, [
      { roleId: await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }]) },
    ])
    const selection = { ...period, deviceIds: [device] }
    await expect(writer.api.letters.redecodePreview(selection)).rejects.toMatchObject({
      code: 'VDEVICE_NOT_FOUND',
    })
    await expect(writer.api.letters.redecode(selection)).rejects.toMatchObject({ code: 'VDEVICE_NOT_FOUND' })
    await expect(reader.api.letters.redecode(selection)).rejects.toMatchObject({ code: 'NO_PERMISSION' })
    await expect(
      app.api.letters.redecode({ ...selection, using: { driverId: driver, number: 9 } }),
    ).rejects.toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND' })
    await expect(app.api.letters.redecode({ ...selection, to: selection.from })).rejects.toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
    const job = await redecode({ deviceIds: [device] })
    const { items } = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: device })
    expect(items).toMatchObject([
      { action: 'packets-decode', changes: { devices: 1, packets: 1, errorsOnly: false } },
    ])
    await expect(writer.api.job.get({ id: job.id })).rejects.toMatchObject({
      code: 'BACKGROUND_JOB_NOT_FOUND',
    })
    expect(await reader.api.job.get({ id: job.id })).toMatchObject({ id: job.id })
    await expect(reader.api.job.cancel({ id: job.id })).rejects.toMatchObject({ code: 'NO_PERMISSION' })
  })
})
