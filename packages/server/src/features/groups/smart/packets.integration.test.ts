import type { PacketMonitoring } from '@leitstand/contract/smartGroups'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Api,
  adminName,
  createAccount,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createConnector, createDevice } from '../../../../test/pipeline.ts'
import { type ThresholdChanged, thresholdChanged } from '../../../topics/thresholdChanged.ts'

const hourMs = 3_600_000
const clock = new FakeClock('2027-03-01T10:30:00.000Z')
const seen: (ThresholdChanged & { account: number | null })[] = []
let app: TestApp
let api: Api
let account: Awaited<ReturnType<typeof createAccount>>
let connector: Awaited<ReturnType<typeof createConnector>>

beforeAll(async () => {
  app = await startApp({
    clock,
    prepare: ({ events }) =>
      events.consume({
        name: 'test.thresholds',
        topics: [thresholdChanged],
        partition: ({ payload }) => payload.twinId,
        handle: async (found) => {
          for (const { payload, accountId } of found) seen.push({ ...payload, account: accountId })
        },
      }),
  })
  account = await createAccount(app)
  connector = await createConnector(app, account.id, account.scopeId)
  await sql`update packet_rounds set hour = ${Math.floor(clock.now().getTime() / hourMs)}, since = '2027-01-01'`.execute(
    app.ctx.db,
  )
})

/** Sessions end while the clock runs. */
const signIn = async () => {
  api = (await app.login(adminName)).api
}

beforeEach(async () => {
  // Groups of one test are silent in the next.
  await sql`delete from smart_groups`.execute(app.ctx.db)
  await app.drain()
  seen.length = 0
  await signIn()
})

let serial = 0
const newDevice = async () => {
  const id = await createDevice(app, connector, `device ${++serial}`)
  await sql`update twins set created_at = '2027-01-01' where id = ${id}`.execute(app.ctx.db)
  return id
}

/** Packets arrive now. */
const receive = (deviceId: number, packets: number) =>
  sql`update device_live set packets = packets + ${packets}, last_seen = ${clock.now()} where twin_id = ${deviceId}`.execute(
    app.ctx.db,
  )

const advance = async (hours: number) => {
  for (let n = 0; n < hours; n++) {
    clock.advance(hourMs)
    await app.drain()
  }
}

const groupOf = (ids: number[], monitoring: PacketMonitoring | null = null) =>
  api.smartGroup.create({ title: `Group ${++serial}`, accountId: account.id, filter: { ids }, monitoring })

const tenADay: PacketMonitoring = {
  expected: 'number',
  packetsPerDay: 240,
  windowHours: 2,
  threshold: 50,
  hysteresis: 10,
}

test('packets are counted in the hour and day in which they came, also before the hour ends', async () => {
  const one = await newDevice()
  const other = await newDevice()
  const { id } = await groupOf([one, other])
  const numbers = async () => {
    const { hours, days, received, active } = await api.smartGroup.packetStatistics({ id })
    expect(hours).toHaveLength(24)
    expect(days).toHaveLength(62)
    const some = (each: typeof hours) =>
      Object.fromEntries(
        each.filter(({ packets }) => packets > 0).map(({ time, packets }) => [time.slice(5, 13), packets]),
      )
    return { hours: some(hours), days: some(days), received, active }
  }
  await receive(one, 3)
  await receive(other, 4)
  expect(await numbers()).toEqual({
    hours: { '03-01T10': 7 },
    days: { '03-01T00': 7 },
    received: 7,
    active: 2,
  })
  await advance(1)
  expect(await numbers()).toMatchObject({ hours: { '03-01T10': 7 }, days: { '03-01T00': 7 } })
  await receive(one, 5)
  await app.drain()
  await advance(2)
  await receive(one, 1)
  expect(await numbers()).toEqual({
    hours: { '03-01T10': 7, '03-01T11': 5, '03-01T13': 1 },
    days: { '03-01T00': 13 },
    received: 13,
    active: 2,
  })
  // Nobody counted for more than a day: the packets belong to when the device was last seen.
  clock.advance(30 * hourMs)
  await app.drain()
  await signIn()
  await receive(one, 2)
  expect(await numbers()).toEqual({
    hours: { '03-02T19': 2 },
    days: { '03-01T00': 13, '03-02T00': 2 },
    received: 2,
    active: 1,
  })
  await advance(1)
  clock.advance(70 * 24 * hourMs)
  await receive(one, 9)
  await advance(1)
  await signIn()
  expect((await numbers()).days).toEqual({ '05-11T00': 9 })
})

test('a device that sends too few packets becomes low by the clock, and no longer with its packets', async () => {
  const [silent, lively] = [await newDevice(), await newDevice()]
  await receive(silent, 20)
  await receive(lively, 20)
  const group = await groupOf([silent, lively], tenADay)
  await app.drain()
  expect(seen).toEqual([])
  await advance(1)
  await receive(lively, 20)
  await advance(1)
  expect(seen).toEqual([])
  await advance(1)
  const at = clock.now().toISOString()
  const about = { accountId: account.id, account: account.id, groupId: group.id, groupTitle: group.title }
  expect(seen).toEqual([
    { ...about, twinId: silent, low: true, received: 0, expected: 20, windowHours: 2, at },
  ])
  expect(await api.smartGroup.packetStatistics({ id: group.id })).toMatchObject({
    devices: 2,
    windowHours: 2,
    received: 20,
    expected: 40,
    low: 1,
  })
  expect(await api.smartGroup.lowDevices({ id: group.id })).toMatchObject({
    total: 1,
    items: [{ id: silent, received: 0, expected: 20, windowHours: 2 }],
  })
  // Between threshold and hysteresis it stays low.
  await receive(silent, 11)
  await app.drain()
  expect(seen).toHaveLength(1)
  await receive(silent, 1)
  await app.drain()
  expect(seen[1]).toMatchObject({ twinId: silent, low: false, received: 12, expected: 20 })
  expect((await api.smartGroup.lowDevices({ id: group.id })).total).toBe(0)
  await app.drain()
  expect(seen).toHaveLength(2)
})

const lowOne = async () => {
  const device = await newDevice()
  const group = await groupOf([device], tenADay)
  await app.drain()
  expect(seen).toMatchObject([{ twinId: device, low: true, received: 0 }])
  return { device, group }
}
const expectEnded = async (device: number) => {
  await app.drain()
  expect(seen.slice(1)).toMatchObject([{ twinId: device, low: false }])
}

test('a device that leaves the group is low no longer', async () => {
  const { device, group } = await lowOne()
  await api.smartGroup.update({
    id: group.id,
    version: 1,
    title: 'Others',
    filter: { tags: ['other'] },
    monitoring: tenADay,
  })
  await expectEnded(device)
})

test('nothing stays low once nobody watches', async () => {
  const { device, group } = await lowOne()
  await api.smartGroup.update({ id: group.id, version: 1, title: group.title, filter: group.filter })
  await expectEnded(device)
})

test('nothing stays low once the group is deleted', async () => {
  const { device, group } = await lowOne()
  await api.smartGroup.delete({ id: group.id })
  await expectEnded(device)
  expect(seen[1]).toMatchObject({ groupId: group.id, groupTitle: group.title })
})

test('a disabled device is not watched', async () => {
  const { device } = await lowOne()
  await api.virtualdevice.setDisabled({ id: device, flag: true })
  await expectEnded(device)
  await advance(1)
  expect(seen).toHaveLength(2)
})

test('a lower number counts at once', async () => {
  const { device, group } = await lowOne()
  await receive(device, 1)
  const { filter, title } = group
  const monitoring = { ...tenADay, packetsPerDay: 12 }
  await api.smartGroup.update({ id: group.id, version: 1, title, filter, monitoring })
  await expectEnded(device)
})

test('the driver says what is expected, and devices whose driver does not are not watched', async () => {
  const [told, silent] = [await newDevice(), await newDevice()]
  const driver = (title: string, specs: { packetsPerDay?: number }) =>
    api.devicedrivers.create({ title, accountId: account.id, script: 'module.exports = () => ({})', specs })
  const one = await driver(`Driver ${++serial}`, { packetsPerDay: 120 })
  const other = await driver(`Driver ${++serial}`, {})
  for (const [id, driverId] of [
    [told, one.id],
    [silent, other.id],
  ])
    await sql`update virtual_devices set driver_id = ${driverId} where twin_id = ${id}`.execute(app.ctx.db)
  const group = await groupOf([told, silent], { ...tenADay, expected: 'driver', packetsPerDay: null })
  await app.drain()
  expect(seen).toMatchObject([{ twinId: told, low: true, received: 0, expected: 10 }])
  expect(await api.smartGroup.packetStatistics({ id: group.id })).toMatchObject({ expected: 10, low: 1 })
  await sql`update virtual_devices set driver_id = ${other.id} where twin_id = ${told}`.execute(app.ctx.db)
  await expectEnded(told)
})

test('a device is watched once it is as old as the window, and has been counted as long', async () => {
  const young = await newDevice()
  await sql`update twins set created_at = ${clock.now()} where id = ${young}`.execute(app.ctx.db)
  await groupOf([young], tenADay)
  await advance(2)
  expect(seen).toEqual([])
  await advance(1)
  expect(seen).toMatchObject([{ twinId: young, low: true }])
})

test('what a device usually sends is learned from its days, and silence does not lower it', async () => {
  const device = await newDevice()
  const group = await groupOf([device], {
    expected: 'learned',
    packetsPerDay: null,
    windowHours: 24,
    threshold: 50,
    hysteresis: 0,
  })
  for (let day = 0; day < 9; day++) {
    await receive(device, 48)
    clock.advance(24 * hourMs)
    await app.drain()
  }
  expect(seen).toEqual([])
  await signIn()
  expect(await api.smartGroup.packetStatistics({ id: group.id })).toMatchObject({ expected: 48 })
  // Longer than what is learned from.
  for (let day = 0; day < 40; day += 8) {
    clock.advance(8 * 24 * hourMs)
    await app.drain()
  }
  expect(seen).toMatchObject([{ twinId: device, low: true, received: 0, expected: 48 }])
  await receive(device, 30)
  await app.drain()
  expect(seen[1]).toMatchObject({ twinId: device, low: false, received: 30, expected: 48 })
})
