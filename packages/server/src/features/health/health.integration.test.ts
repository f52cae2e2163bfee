import type { StandardPacket } from '@leitstand/contract/bridge'
import type { HealthCategory } from '@leitstand/contract/health'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { Metrics } from '../../platform/metrics.ts'
import { type HealthChanged, healthChanged } from '../../topics/healthChanged.ts'
import { HealthClock } from './clock.ts'
import { dueDevices } from './store.ts'

const start = '2026-06-15T12:00:00.000Z'
const clock = new FakeClock(start)
let app: TestApp
let connector: Awaited<ReturnType<typeof createConnector>>
let serial = 0
/** ms that a busy machine may take */
const patient = 60_000
/** events received by a consumer of `health.changed` */
const heard: { accountId: number | null; payload: HealthChanged }[] = []

const script = `function decodeUplink({ bytes }) {
  if (bytes[0] === 255) throw new Error('not mine')
  const data = {}
  if (bytes[0] & 1) data.battery = bytes[1]
  if (bytes[0] & 2) data.temperature = bytes[2]
  return { data }
}`

const low = {
  identifier: 'battery.low',
  category: 'battery',
  type: 'warning',
  description: 'Batterie wechseln',
  condition: { variable: 'battery', operator: 'lt', value: 20 },
} as const
const silent = {
  identifier: 'silent',
  category: 'connectivity',
  type: 'error',
  olderThanDuration: 60,
} as const

beforeAll(async () => {
  app = await startApp({
    clock,
    prepare: ({ events }) =>
      events.consume({
        name: 'test',
        topics: [healthChanged],
        partition: ({ payload }) => payload.deviceId,
        handle: async (changes) => void heard.push(...changes),
      }),
  })
})
beforeEach(async () => {
  clock.advance(24 * 3_600_000)
  connector = await createConnector(app)
})

async function driverWith(health: object) {
  const title = `Driver ${++serial}`
  return app.api.devicedrivers.create({ accountId: app.rootAccountId, title, script, health })
}

async function deviceOf(driverId: number | null): Promise<{ id: number; name: string }> {
  const name = `device-${++serial}`
  return { id: await createDevice(app, connector, name, driverId), name }
}

/** An uplink: flags, battery, temperature. */
function send(name: string, payload: string, time?: Date, receivedAt = clock.now()) {
  const packet: StandardPacket = {
    identifier: name,
    payload,
    ...(time === undefined ? {} : { time: time.toISOString() }),
  }
  const message = { connector, packets: [packet], raw: JSON.stringify(packet), receivedAt }
  return app.app.ingest.submit(message)
}
const battery = (percent: number) => `01${percent.toString(16).padStart(2, '0')}`

const healthOf = async (id: number) => (await app.api.virtualdevice.get({ id })).health
const logOf = async (id: number) =>
  (await app.api.health.log({ id })).items.map(({ entry, fault, type, since, until, end }) => [
    entry ?? fault,
    type,
    since,
    until,
    end,
  ])
const minutesLater = (minutes: number) => {
  clock.advance(minutes * 60_000)
  return clock.now().toISOString()
}

describe('the health of a device', () => {
  it('is unknown until it sends, turns to warning with a packet and back, and every list follows', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    expect(await healthOf(device.id)).toBe(3)
    await send(device.name, battery(50))
    expect(await healthOf(device.id)).toBe(0)
    const since = minutesLater(1)
    await send(device.name, battery(10))
    expect(await healthOf(device.id)).toBe(1)
    const found = await app.api.virtualdevice.list({ health: [1], ids: [device.id] })
    expect(found.items).toMatchObject([{ id: device.id, health: 1 }])
    const withProblem = async (category: HealthCategory) => {
      const { total } = await app.api.virtualdevice.list({ health_categories: [category], ids: [device.id] })
      return total
    }
    expect([await withProblem('battery'), await withProblem('device')]).toEqual([1, 0])
    expect(await app.api.health.get({ id: device.id })).toMatchObject({
      health: 1,
      source: 'driver',
      entries: [{ identifier: 'battery.low', active: true, since, ignored: null }],
      faults: [],
    })
    minutesLater(1)
    await send(device.name, '020014')
    expect(await healthOf(device.id), 'a packet without the variable says nothing').toBe(1)
    const until = minutesLater(1)
    await send(device.name, battery(90))
    expect(await healthOf(device.id)).toBe(0)
    expect(await logOf(device.id)).toEqual([['battery.low', 'warning', since, until, 'over']])
    expect(await withProblem('battery')).toBe(0)
  })

  it('is shown with the states of twins that it feeds, the worst one of several, to those who may see it', async () => {
    const driver = await driverWith({ entries: [low] })
    const devices = [await deviceOf(driver.id), await deviceOf(driver.id)]
    for (const [index, { name }] of devices.entries()) await send(name, battery(index === 0 ? 90 : 10))
    const sources = await Promise.all(
      devices.map(async ({ id }) =>
        (await app.api.digitaltwin.states({ id })).items.map((state) => state.id),
      ),
    )
    const twin = await app.api.digitaltwin.create({
      title: 'Room',
      type: 'room',
      accountId: app.rootAccountId,
    })
    const feed = (key: string, stateIds: number[]) =>
      app.api.state.create({
        dtwinId: twin.id,
        key,
        title: key,
        source: 'virtual-device-aggregate',
        sourceSettings: { stateIds, method: 'latest' },
      })
    const both = await feed(
      'both',
      sources.flatMap((ids) => ids.slice(0, 1)),
    )
    const first = await feed('first', (sources[0] ?? []).slice(0, 1))
    await app.api.state.create({ dtwinId: twin.id, key: 'own', title: 'own', source: 'none' })
    const found = (id: number, api = app.api) => api.health.sources({ id })
    expect((await found(twin.id)).items).toMatchObject([
      { stateId: both.id, device: { id: devices[1]?.id, health: 1 }, count: 2 },
      { stateId: first.id, device: { id: devices[0]?.id, health: 0 }, count: 1 },
    ])
    expect(await errorOf(found(devices[0]?.id ?? 0))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const reader = await createUser(app, { id: app.rootAccountId, scopeId: app.rootScopeId }, [{ roleId }])
    expect((await found(twin.id, reader.api)).items).toEqual([])
  })

  it('does not change by packets that are older than what was looked at last', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    await send(device.name, battery(50))
    await send(device.name, battery(5), new Date(clock.now().getTime() - 60_000))
    expect(await healthOf(device.id)).toBe(0)
  })

  it('is invalid while packets cannot be decoded', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    const since = clock.now().toISOString()
    await send(device.name, 'ff')
    expect(await healthOf(device.id)).toBe(4)
    expect(await app.api.health.get({ id: device.id })).toMatchObject({
      faults: [{ kind: 'decode', since }],
    })
    const until = minutesLater(1)
    await send(device.name, battery(50))
    expect(await healthOf(device.id)).toBe(0)
    expect(await logOf(device.id)).toEqual([['decode', 'invalid', since, until, 'over']])
  })

  it('turns when the device is silent for too long, at that minute, and back with the next packet', async () => {
    const device = await deviceOf((await driverWith({ entries: [silent] })).id)
    await send(device.name, battery(50))
    minutesLater(30)
    await send(device.name, battery(50))
    minutesLater(59)
    await app.drain()
    expect(await healthOf(device.id)).toBe(0)
    const since = minutesLater(1)
    minutesLater(3)
    await app.drain()
    expect(await healthOf(device.id)).toBe(2)
    expect(await logOf(device.id)).toEqual([['silent', 'error', since, null, null]])
    const until = minutesLater(1)
    await send(device.name, battery(50))
    expect(await healthOf(device.id)).toBe(0)
    expect(await logOf(device.id)).toEqual([['silent', 'error', since, until, 'over']])
    minutesLater(61)
    await app.drain()
    expect(await healthOf(device.id), 'the clock goes on').toBe(2)
  })

  it('turns when a variable is too old, though the device sends others', async () => {
    const stale = { ...silent, identifier: 'stale', type: 'warning', olderThanVariable: 'battery' }
    const device = await deviceOf((await driverWith({ entries: [stale] })).id)
    await send(device.name, '030a0a')
    for (let minute = 0; minute < 60; minute += 20) {
      minutesLater(20)
      await send(device.name, '02000a')
    }
    await app.drain()
    expect(await healthOf(device.id)).toBe(1)
    minutesLater(1)
    await send(device.name, battery(50))
    expect(await healthOf(device.id)).toBe(0)
  })

  it('is unknown while the device is disabled, and until it sends again', async () => {
    const device = await deviceOf((await driverWith({ entries: [low, silent] })).id)
    await send(device.name, battery(5))
    expect(await healthOf(device.id)).toBe(1)
    const disabled = await app.api.virtualdevice.setDisabled({ id: device.id, flag: true })
    expect(disabled.health).toBe(3)
    expect(await logOf(device.id)).toMatchObject([
      ['battery.low', 'warning', expect.anything(), expect.anything(), 'disabled'],
    ])
    await send(device.name, battery(5))
    minutesLater(120)
    await app.drain()
    expect(await healthOf(device.id)).toBe(3)
    expect((await app.api.virtualdevice.setDisabled({ id: device.id, flag: false })).health).toBe(3)
    await send(device.name, battery(50))
    expect(await healthOf(device.id)).toBe(0)
  })

  it('does not change by a packet that comes twice', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    const first = clock.now()
    await send(device.name, battery(5), first)
    minutesLater(1)
    await send(device.name, battery(50))
    await send(device.name, battery(5), first)
    expect(await healthOf(device.id)).toBe(0)
    expect(await logOf(device.id)).toHaveLength(1)
  })
})

describe('a health configuration of a driver', () => {
  it('applies to all its devices as soon as it is published, to silent ones too', async () => {
    const driver = await driverWith({ entries: [low] })
    const devices = [await deviceOf(driver.id), await deviceOf(driver.id)]
    for (const { name } of devices) await send(name, battery(15))
    const { id, version, title } = driver
    const strict = { ...low, type: 'error', condition: { ...low.condition, value: 10 } } as const
    const old = { ...low, identifier: 'battery.old', condition: { ...low.condition, value: 16 } } as const
    await app.api.devicedrivers.update({ id, version, title, script, health: { entries: [strict, old] } })
    await app.drain()
    for (const device of devices) {
      expect(await app.api.health.get({ id: device.id })).toMatchObject({
        health: 1,
        entries: [
          { identifier: 'battery.low', active: false },
          { identifier: 'battery.old', active: true },
        ],
      })
      expect((await logOf(device.id)).map(([entry, type, , , end]) => [entry, type, end])).toEqual([
        ['battery.old', 'warning', null],
        ['battery.low', 'warning', 'over'],
      ])
    }
    await app.api.devicedrivers.publish({ id, number: 1 })
    await app.drain()
    for (const device of devices) expect(await healthOf(device.id)).toBe(1)
    const periods = await logOf(devices[0]?.id ?? 0)
    expect(periods.map(([entry, , , , end]) => [entry, end])).toEqual([
      ['battery.low', null],
      ['battery.old', 'configuration'],
      ['battery.low', 'over'],
    ])
  })

  it('goes through more devices than one piece of work takes', async () => {
    const driver = await driverWith({ entries: [] })
    const many = 1_200
    await sql`with made as (
        insert into twins (category, account_id, scope_id, title)
        select 'virtualDevice', ${app.rootAccountId}, ${app.rootScopeId}, 'Many ' || n from generate_series(1, ${many}) n
        returning id),
      devices as (
        insert into virtual_devices (twin_id, connector_id, external_id, driver_id)
        select id, ${connector.id}, 'many-' || id, ${driver.id} from made returning twin_id)
      insert into device_live (twin_id, last_seen, evaluated_at, health)
      select twin_id, ${clock.now()}, ${clock.now()}, 0 from devices`.execute(app.ctx.db)
    minutesLater(61)
    const { id, version, title } = driver
    await app.api.devicedrivers.update({ id, version, title, script, health: { entries: [silent] } })
    await app.drain()
    const { total } = await app.api.virtualdevice.list({ driver_ids: [id], health: [2] })
    expect(total).toBe(many)
    expect(await app.api.devicedrivers.healthSync({ id })).toEqual({ devices: many, own: 0, running: false })
  })

  it('has expressions that are compiled before they are stored', async () => {
    const broken = { identifier: 'a', category: 'device', type: 'error', expression: 'battery <' } as const
    const failed = await errorOf(driverWith({ expertMode: true, stateKeys: ['battery'], entries: [broken] }))
    expect(failed).toMatchObject({
      code: 'SCRIPT_SYNTAX',
      status: 422,
      data: { issues: [{ path: 'health.entries.0.expression', message: expect.stringMatching(/./) }] },
    })
    const twice = await errorOf(driverWith({ entries: [low, low] }))
    expect(twice).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR', status: 400 })
  })
})

describe('expert mode', () => {
  const weak = {
    identifier: 'weak',
    category: 'battery',
    type: 'error',
    expression: 'battery < (temperature < 5 ? 30 : 20)',
  } as const
  const health = { expertMode: true, stateKeys: ['battery', 'temperature'], entries: [weak] }

  it('sees the last value of every state key, whichever packet it came with', async () => {
    const device = await deviceOf((await driverWith(health)).id)
    await send(device.name, battery(25))
    expect(await healthOf(device.id)).toBe(0)
    minutesLater(1)
    await send(device.name, '020002')
    expect(await healthOf(device.id)).toBe(2)
    minutesLater(1)
    await send(device.name, '020014', new Date(clock.now().getTime() - 90_000))
    minutesLater(1)
    await send(device.name, battery(26))
    expect(await healthOf(device.id), 'a late value is not remembered').toBe(2)
    minutesLater(1)
    await send(device.name, '020014')
    expect(await healthOf(device.id)).toBe(0)
  })

  it('makes the device invalid where an expression fails, and leaves the entry alone', async () => {
    const broken = { ...weak, identifier: 'broken', expression: 'missing.value > 1' }
    const device = await deviceOf((await driverWith({ ...health, entries: [broken] })).id)
    await send(device.name, battery(25))
    expect(await app.api.health.get({ id: device.id })).toMatchObject({
      health: 4,
      faults: [{ kind: 'expression' }],
    })
  })

  it('is recomputed from the last values', async () => {
    const driver = await driverWith({ entries: [low] })
    const device = await deviceOf(driver.id)
    await send(device.name, '031902')
    const { id, version, title } = driver
    await app.api.devicedrivers.update({ id, version, title, script, health })
    await app.drain()
    expect(await healthOf(device.id)).toBe(2)
  })
})

describe('a device', () => {
  it('can have a configuration of its own, and follow its driver again', async () => {
    const driver = await driverWith({ entries: [low] })
    const device = await deviceOf(driver.id)
    await send(device.name, battery(15))
    const { version } = await app.api.health.get({ id: device.id })
    const own = { entries: [{ ...low, condition: { ...low.condition, value: 10 } }] }
    const changed = await app.api.health.updateConfig({
      id: device.id,
      version,
      x: 'own',
      config: own,
    })
    expect(changed).toMatchObject({ health: 0, source: 'own', entries: [{ active: false }] })
    const late = app.api.health.updateConfig({ id: device.id, version, x: 'own', config: own })
    expect(await errorOf(late)).toMatchObject({ code: 'VERSION_CONFLICT', status: 409 })
    await app.ctx.configChanges.settle()
    minutesLater(1)
    await send(device.name, battery(12))
    expect(await healthOf(device.id), 'live traffic follows its own').toBe(0)
    minutesLater(1)
    await send(device.name, battery(5))
    expect(await healthOf(device.id)).toBe(1)
    const back = await app.api.health.updateConfig({
      id: device.id,
      version: changed.version,
      x: 'driver',
    })
    expect(back).toMatchObject({ source: 'driver', health: 1 })
    const [activity] = (await app.api.activityLog.list({ search: `Twin` })).items
    expect(activity).toMatchObject({ subject: 'VirtualDevice', action: 'update', objectId: device.id })
  })

  it('loses its own when a driver is published that says so, or somebody asks for it', async () => {
    const driver = await driverWith({ entries: [low] })
    const device = await deviceOf(driver.id)
    await send(device.name, battery(15))
    const own = async () => {
      const { version } = await app.api.health.get({ id: device.id })
      const change = { id: device.id, version, x: 'own' as const, config: { entries: [] } }
      expect(await app.api.health.updateConfig(change)).toMatchObject({ health: 0 })
      expect(await app.api.devicedrivers.healthSync({ id: driver.id })).toMatchObject({ own: 1 })
    }
    await own()
    const { id, version, title } = driver
    const kept = await app.api.devicedrivers.update({
      id,
      version,
      title,
      script,
      health: { entries: [{ ...low, description: 'leer' }] },
    })
    await app.drain()
    expect(await app.api.health.get({ id: device.id })).toMatchObject({ source: 'own', health: 0 })
    await app.api.devicedrivers.update({
      id,
      version: kept.version,
      title,
      script,
      health: { applyToAllVD: true, entries: [low] },
    })
    await app.drain()
    expect(await app.api.health.get({ id: device.id })).toMatchObject({
      source: 'driver',
      health: 1,
    })
    await own()
    expect(await app.api.devicedrivers.syncHealth({ id, takeOver: true })).toMatchObject({ running: true })
    await app.drain()
    expect(await app.api.health.get({ id: device.id })).toMatchObject({
      source: 'driver',
      health: 1,
    })
  })

  it('is recomputed by hand from the last packet', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    await send(device.name, battery(15))
    await sql`update device_live set health_active = null, health = 0 where twin_id = ${device.id}`.execute(
      app.ctx.db,
    )
    await sql`delete from device_health_log where twin_id = ${device.id}`.execute(app.ctx.db)
    expect(await app.api.health.sync({ id: device.id })).toMatchObject({ health: 1 })
  })

  it('follows a change that is committed while it is recomputed', async () => {
    const device = await deviceOf((await driverWith({ entries: [] })).id)
    const { version } = await app.api.health.get({ id: device.id })
    await app.api.health.updateConfig({ id: device.id, version, x: 'own', config: { entries: [low] } })
    await app.ctx.configChanges.settle()
    await send(device.name, battery(15))
    expect(await healthOf(device.id)).toBe(1)
    // A refresh still pending for its new driver would hide one that was lost.
    await app.drain()
    const { db } = app.ctx
    const { synced, changed } = await db.transaction().execute(async (tx) => {
      await sql`lock table device_health_ignored in access exclusive mode`.execute(tx)
      const synced = app.api.health.sync({ id: device.id })
      await vi.waitFor(async () => {
        const { rows } = await sql`
          select from pg_locks where relation = 'device_health_ignored'::regclass and not granted`.execute(db)
        expect(rows).toHaveLength(1)
      }, patient)
      const changed = db.transaction().execute(async (other) => {
        await sql`delete from device_health_configs where twin_id = ${device.id}`.execute(other)
        await sql`
          insert into device_health_refreshes (twin_id) values (${device.id}) on conflict do nothing`.execute(
          other,
        )
      })
      const waits = vi.waitFor(async () => {
        const { rows } = await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'transactionid'`.execute(
          db,
        )
        expect(rows).toHaveLength(1)
      }, patient)
      await Promise.race([changed, waits])
      return { synced, changed }
    })
    await Promise.all([synced, changed])
    await app.drain()
    expect(await healthOf(device.id)).toBe(0)
  })

  it('has entries that are ignored and set active again', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    await send(device.name, battery(15))
    const entry = { id: device.id, identifier: 'battery.low' }
    const at = minutesLater(1)
    expect(await app.api.health.ignoreEntry({ ...entry, flag: true })).toMatchObject({
      health: 0,
      entries: [{ active: true, since: null, ignored: { by: expect.anything(), at } }],
    })
    minutesLater(1)
    await send(device.name, battery(14))
    expect(await healthOf(device.id)).toBe(0)
    const again = minutesLater(1)
    expect(await app.api.health.ignoreEntry({ ...entry, flag: false })).toMatchObject({
      health: 1,
      entries: [{ active: true, since: again, ignored: null }],
    })
    expect((await logOf(device.id)).map(([, , , , end]) => end)).toEqual([null, 'ignored'])
    const { items } = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: device.id })
    expect(items.map(({ action }) => action)).toEqual(['heed-health', 'ignore-health'])
    const unknown = app.api.health.ignoreEntry({ id: device.id, identifier: 'no', flag: true })
    expect(await errorOf(unknown)).toMatchObject({ code: 'HEALTH_ENTRY_NOT_FOUND', status: 404 })
  })

  it('shows its health to those who may see it, and lets those change it who may', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    const root = { id: app.rootAccountId, scopeId: app.rootScopeId }
    const viewer = await createUser(app, root, [{ roleId: await roleNamed(app, 'Viewer') }])
    const { version } = await viewer.api.health.get({ id: device.id })
    expect(await viewer.api.health.get({ id: device.id })).toMatchObject({ editable: false })
    const elsewhere = await createAccount(app)
    const stranger = await createUser(app, elsewhere, [
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    const { id } = device
    const changes = [
      (api: Api) => api.health.updateConfig({ id, version, x: 'driver' }),
      (api: Api) => api.health.sync({ id }),
      (api: Api) => api.health.ignoreEntry({ id, identifier: 'battery.low', flag: true }),
    ]
    for (const change of changes)
      expect(await errorOf(change(viewer.api))).toMatchObject({ code: 'NO_PERMISSION', status: 403 })
    const reads = [(api: Api) => api.health.get({ id }), (api: Api) => api.health.log({ id })]
    for (const call of [...changes, ...reads])
      expect(await errorOf(call(stranger.api))).toMatchObject({ code: 'VDEVICE_NOT_FOUND', status: 404 })
  })
})

describe('changes of the health', () => {
  it('are durable events, each exactly once', async () => {
    const driver = await driverWith({ entries: [low, silent] })
    const device = await deviceOf(driver.id)
    // The publication of the driver has reached the device: nothing is re-evaluated during the test.
    await new HealthClock({ ...app.ctx, metrics: new Metrics() }).settle()
    await send(device.name, battery(5))
    const first = clock.now().toISOString()
    await send(device.name, battery(5))
    const silentAt = new Date(clock.now().getTime() + 3_600_000).toISOString()
    minutesLater(70)
    const processes = [1, 2].map(() => new HealthClock({ ...app.ctx, metrics: new Metrics() }))
    await Promise.all(processes.map((process) => process.settle()))
    const back = minutesLater(1)
    await send(device.name, battery(50))
    await app.drain()
    const ofDevice = heard.filter(({ payload }) => payload.deviceId === device.id)
    expect(new Set(ofDevice.map(({ accountId }) => accountId))).toEqual(new Set([app.rootAccountId]))
    const events = ofDevice.map(({ payload }) => payload)
    expect(events.map(({ entry, from, to, health, at }) => [entry, from, to, health, at])).toEqual([
      [null, 3, 0, 0, first],
      ['battery.low', 0, 1, 1, first],
      ['silent', 0, 2, 2, silentAt],
      ['battery.low', 1, 0, 2, back],
      ['silent', 2, 0, 0, back],
    ])
  })

  it('leave nothing behind of a batch that was not stored', async () => {
    const device = await deviceOf((await driverWith({ entries: [low] })).id)
    await send(device.name, battery(50))
    await sql`create function refuse_packets() returns trigger language plpgsql as
      $$ begin raise exception 'disk full' using errcode = '53100'; end $$`.execute(app.ctx.db)
    await sql`create trigger refuse before insert on packets for each statement execute function refuse_packets()`.execute(
      app.ctx.db,
    )
    minutesLater(1)
    await expect(send(device.name, battery(5))).rejects.toMatchObject({ code: 'OVERLOADED' })
    await sql`drop trigger refuse on packets`.execute(app.ctx.db)
    expect(await healthOf(device.id)).toBe(0)
    expect(await logOf(device.id)).toEqual([])
    await send(device.name, battery(5))
    expect(await healthOf(device.id)).toBe(1)
    expect(await logOf(device.id)).toHaveLength(1)
  })
})

describe('among 100 000 devices', () => {
  it('those that are due are found by an index', async () => {
    await app.ctx.db.transaction().execute(async (tx) => {
      await sql`insert into twins (category, account_id, scope_id, title)
        select 'virtualDevice', ${app.rootAccountId}, ${app.rootScopeId}, 'Scale' from generate_series(1, 20000)`.execute(
        tx,
      )
      await sql`insert into device_live (twin_id, last_seen, evaluated_at, health, health_due)
        select id, now(), now(), 0, now() + id * interval '1 minute' from twins where title = 'Scale'`.execute(
        tx,
      )
    })
    await sql`vacuum analyze device_live`.execute(app.ctx.db)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain ${dueDevices(clock.now(), 500)}`.execute(app.ctx.db)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('Index Scan using device_live_health_due')
    expect(plan).not.toContain('Sort')
  })
})
