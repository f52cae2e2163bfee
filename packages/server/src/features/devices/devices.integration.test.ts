import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
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
import { createState, createTwin, writeValues } from '../../../test/twins.ts'
import { jsonb } from '../../platform/db/index.ts'

interface Tenant {
  id: number
  scopeId: number
  api: Api
  connectorId: number
}

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp
let north: Tenant
let south: Tenant
let driverId: number

beforeAll(async () => {
  app = await startApp({ clock })
  north = await tenant('North')
  south = await tenant('South')
  driverId = await newDriver(north, [
    { key: 'temperature', title: 'Temperature', unit: '°C' },
    { key: 'door', title: '', unit: '' },
  ])
})

async function tenant(name: string, parent?: { id: number; scopeId: number }): Promise<Tenant> {
  const account = await createAccount(app, { name, ...(parent ? { parent } : {}) })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
  return { ...account, api, connectorId: await newConnector(account, `${name} network`) }
}

async function newConnector(
  owner: { id: number; scopeId: number },
  name: string,
  settings: object = {},
): Promise<number> {
  const { id } = await app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: owner.id,
      scope_id: owner.scopeId,
      name,
      kind: 'mqtt-in',
      settings: jsonb(settings),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const readingOf = (key: string, type?: 'number') => (key === 'door' && type === undefined ? 'open' : 21)

async function newDriver(
  owner: Tenant,
  variables: { key: string; title: string; unit: string; valueType?: 'number' }[],
) {
  const expected = Object.fromEntries(variables.map(({ key, valueType }) => [key, readingOf(key, valueType)]))
  const script = `function decodeUplink() { return { data: ${JSON.stringify(expected)} } }`
  const golden = [{ payload: '15', expected }]
  const driver = { accountId: owner.id, title: 'Driver', script, golden, variables }
  return (await owner.api.devicedrivers.create(driver)).id
}

let serial = 0
const newDevice = (changes: object = {}, owner = north) =>
  owner.api.virtualdevice.create({
    title: 'Device',
    connectorId: owner.connectorId,
    externalId: `id-${++serial}`,
    ...changes,
  })

async function edit(api: Api, id: number, changes: object) {
  const device = await api.virtualdevice.get({ id })
  return api.virtualdevice.update({ ...device, ...changes })
}

const keysOf = async (id: number) => {
  const { items } = await north.api.digitaltwin.states({ id })
  return items.map(({ key, title, unit, valueType, source }) => ({ key, title, unit, valueType, source }))
}

const pointsOf = async (stateId: number) => {
  const day = { startDate: '2026-06-15T00:00:00.000Z', endDate: '2026-06-16T00:00:00.000Z' }
  return (await north.api.series.search({ stateIds: [stateId], ...day })).series[0]?.points
}

/** A use of a state, as returned in a preview. */
const use = (kind: string, id: number, title: string) => ({ kind, id, title, blocking: false, owner: null })

describe('a device', () => {
  test('gets its place, the normal form of its EUI and the states of its driver', async () => {
    const room = await north.api.digitaltwin.create({ title: 'Room', accountId: north.id })
    const device = await newDevice({
      title: 'Sensor',
      externalId: ' a8-17-58-ff-fe-00-00-01 ',
      parentId: room.id,
      driverId,
      tags: ['new'],
      keyValues: { serial: '1' },
      referenceIds: [{ name: 'inventory', value: '7' }],
      operationalStatus: 3,
    })
    expect(device).toMatchObject({
      title: 'Sensor',
      externalId: 'A81758FFFE000001',
      connectorName: 'North network',
      connectorKind: 'mqtt-in',
      accountId: north.id,
      scopeId: north.scopeId,
      parentId: room.id,
      parentTitle: 'Room',
      driverId,
      driverTitle: 'Driver',
      driverVersion: null,
      operationalStatus: 3,
      health: 3,
      lastSeen: null,
      packetCount: 0,
      tags: ['new'],
      keyValues: { serial: '1' },
      referenceIds: [{ name: 'inventory', value: '7' }],
      lastError: null,
      ancestors: [{ id: room.id, title: 'Room' }],
      editable: true,
      version: 1,
      disabled: false,
    })
    expect(await keysOf(device.id)).toEqual([
      { key: 'temperature', title: 'Temperature', unit: '°C', valueType: 'number', source: 'connector' },
      { key: 'door', title: 'door', unit: '', valueType: 'text', source: 'connector' },
    ])
    const again = { externalId: 'A81758FFFE000001' }
    expect(await errorOf(newDevice(again))).toMatchObject({ code: 'DEVICE_ALREADY_EXISTS', data: again })
    expect((await newDevice(again, south)).externalId).toBe('A81758FFFE000001')
  })

  test('of a LoRaWAN network server has an EUI-64, in whatever notation: DEVICE_EUI_INVALID', async () => {
    const connectorId = await newConnector(north, 'ChirpStack', { preset: 'chirpstack-v4' })
    const device = await newDevice({ connectorId, externalId: 'a8:17:58:ff:fe:00:00:99' })
    expect(device).toMatchObject({ externalId: 'A81758FFFE000099', preset: 'chirpstack-v4' })
    const refused = { code: 'DEVICE_EUI_INVALID', status: 422 }
    expect(await errorOf(newDevice({ connectorId, externalId: 'a81758fffe00009' }))).toMatchObject(refused)
    expect(await errorOf(edit(north.api, device.id, { externalId: 'meter-7' }))).toMatchObject(refused)
    const stack = await newConnector(north, 'Stack', { preset: 'tts-v3' })
    expect((await newDevice({ connectorId: stack, externalId: 'cellar-7' })).externalId).toBe('cellar-7')
    expect(await errorOf(newDevice({ connectorId: stack, externalId: 'Cellar 7' }))).toMatchObject(refused)
  })

  test('keeps an id from the time before its connector had a network server', async () => {
    const connectorId = await newConnector(north, 'Renewed')
    const device = await newDevice({ connectorId, externalId: 'meter-7' })
    await app.ctx.db
      .updateTable('connectors')
      .set({ settings: '{"preset":"chirpstack-v4"}' })
      .where('id', '=', connectorId)
      .execute()
    expect(await edit(north.api, device.id, { title: 'Renamed' })).toMatchObject({ externalId: 'meter-7' })
  })

  test('added twice at once exists once', async () => {
    const results = await Promise.allSettled([
      newDevice({ externalId: 'race' }),
      newDevice({ externalId: 'race' }),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('needs a connector, a parent and a driver one may use', async () => {
    const theirTwin = await south.api.digitaltwin.create({ title: 'Theirs', accountId: south.id })
    const theirDriver = await newDriver(south, [])
    expect(await errorOf(newDevice({ connectorId: south.connectorId }))).toMatchObject({
      code: 'CONNECTOR_NOT_FOUND',
    })
    expect(await errorOf(newDevice({ parentId: theirTwin.id }))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect(await errorOf(newDevice({ driverId: theirDriver }))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_FOUND',
    })
    expect(await errorOf(newDevice({ driverId, driverVersion: 9 }))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_FOUND',
    })
    const device = await newDevice()
    expect(await errorOf(newDevice({ parentId: device.id }))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect(
      (await north.api.virtualdevice.list({ search_items: '"Device"' })).items.map(({ id }) => id),
    ).toContain(device.id)
  })

  test('below a twin of a sub-account belongs to that account, with a driver from above', async () => {
    const below = await tenant('Below', north)
    const twin = await below.api.digitaltwin.create({ title: 'Below', accountId: below.id })
    expect(await newDevice({ parentId: twin.id, driverId, acceptDriver: 1 })).toMatchObject({
      accountId: below.id,
      scopeId: below.scopeId,
    })
    expect(await errorOf(newDevice({ connectorId: north.connectorId }, below))).toMatchObject({
      code: 'CONNECTOR_NOT_FOUND',
    })
  })

  test('with another driver has the states of that one: those both have keep their history, the others go', async () => {
    const device = await newDevice({ driverId })
    const [temperature, door] = (await north.api.digitaltwin.states({ id: device.id })).items
    if (!temperature || !door) throw new Error('no state')
    await north.api.state.update({ ...temperature, title: 'My title' })
    const own = await north.api.state.create({
      dtwinId: device.id,
      key: 'note',
      title: 'Note',
      source: 'none',
      valueType: 'text',
    })
    await writeValues(app, [
      { stateId: temperature.id, time: clock.now(), value: 20 },
      { stateId: door.id, time: clock.now(), value: 'open' },
    ])
    const other = await newDriver(north, [
      { key: 'temperature', title: 'Other', unit: 'K' },
      { key: 'co2', title: 'CO₂', unit: 'ppm' },
    ])
    const brief = { id: door.id, key: 'door', title: 'door', time: clock.now().toISOString() }
    expect(await north.api.virtualdevice.driverChange({ id: device.id, driverId: other })).toEqual({
      deleted: [brief],
      kept: [],
      retyped: [],
      uses: { items: [], more: false },
    })
    const changed = await edit(north.api, device.id, { driverId: other, title: 'Changed' })
    expect(changed).toMatchObject({ driverId: other, title: 'Changed', version: 2 })
    expect((await keysOf(device.id)).map(({ key, title }) => [key, title])).toEqual([
      ['temperature', 'My title'],
      ['note', 'Note'],
      ['co2', 'CO₂'],
    ])
    expect(await pointsOf(temperature.id)).toHaveLength(1)
    expect(await errorOf(north.api.state.get({ id: door.id }))).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
    expect(await north.api.state.get({ id: own.id })).toMatchObject({ key: 'note' })
    expect(await errorOf(north.api.virtualdevice.update({ ...device, title: 'Late' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
      data: { version: 2 },
    })
    const [entry] = (await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: device.id })).items
    expect(entry).toMatchObject({
      action: 'update',
      changes: {
        title: { before: 'Device', after: 'Changed' },
        driverId: { before: driverId, after: other },
        deletedStates: ['door'],
      },
    })
    const taken = await newDevice()
    expect(await errorOf(edit(north.api, device.id, { externalId: taken.externalId }))).toMatchObject({
      code: 'DEVICE_ALREADY_EXISTS',
    })
    expect(await edit(north.api, device.id, { externalId: '00:11:22:33:44:55:66:77' })).toMatchObject({
      externalId: '0011223344556677',
    })
  })

  test('with another driver keeps the states of the old one that something uses', async () => {
    const keys = ['summed', 'watched', 'set', 'shown', 'free']
    const before = await newDriver(
      north,
      keys.map((key) => ({ key, title: '', unit: '' })),
    )
    const device = await newDevice({ driverId: before })
    const { items } = await north.api.digitaltwin.states({ id: device.id })
    const [summed = 0, watched = 0, set = 0, shown = 0] = items.map(({ id }) => id)
    const { id: room } = await north.api.digitaltwin.create({ title: 'Room with uses', accountId: north.id })
    const sum = await north.api.state.create({
      dtwinId: room,
      key: 'sum',
      title: 'Sum',
      source: 'virtual-device-aggregate',
      sourceSettings: { stateIds: [summed] },
    })
    const rule = await north.api.ddr.create({
      dtwinId: device.id,
      title: 'Echo',
      metrics: [{ alias: 'watched', stateId: watched }],
      conditions: { op: 'gt', left: { metric: 'watched' }, right: { value: 30 } },
      actions: [{ kind: 'set-state', stateId: set, value: { value: 1 } }],
    })
    const board = await app.api.dashboards.create({ name: 'Overview', accountId: south.id })
    await app.api.dashboards.addWidget({
      id: board.id,
      definition: { type: 'value', valueOptions: { stateIds: [shown] } },
    })
    const change = { id: device.id, driverId }
    const preview = await app.api.virtualdevice.driverChange(change)
    expect(preview.deleted.map(({ key }) => key)).toEqual(['free'])
    expect(preview.kept.map(({ key }) => key)).toEqual(['summed', 'watched', 'set', 'shown'])
    expect(preview.uses).toEqual({
      items: [
        { ...use('aggregate', sum.id, 'Room with uses · Sum'), owner: { kind: 'twin', id: room } },
        { ...use('rule', rule.id, 'Device · Echo'), owner: { kind: 'virtualDevice', id: device.id } },
        use('dashboard', board.id, 'Overview'),
      ],
      more: false,
    })
    // Users who may not see the dashboard only learn that there are more uses.
    expect((await north.api.virtualdevice.driverChange(change)).uses).toMatchObject({
      items: preview.uses.items.slice(0, 2),
      more: true,
    })
    await north.api.bulk.update({ ids: [device.id], changes: { driver: { driverId } } })
    expect((await keysOf(device.id)).map(({ key }) => key)).toEqual([
      ...['summed', 'watched', 'set', 'shown'],
      ...['temperature', 'door'],
    ])
  })

  test('whose new driver reads a variable as another type keeps its history under the new one', async () => {
    const device = await newDevice({ driverId })
    const door = (await north.api.digitaltwin.states({ id: device.id })).items[1]
    await writeValues(app, [{ stateId: door?.id ?? 0, time: clock.now(), value: 'open' }])
    const counting = await newDriver(north, [{ key: 'door', title: '', unit: 'times', valueType: 'number' }])
    // The type of its variables is unknown.
    const untold = await north.api.devicedrivers.create({
      accountId: north.id,
      title: 'Untold',
      script: 'function decodeUplink() { return { data: {} } }',
      variables: [{ key: 'temperature' }, { key: 'door' }],
    })
    const kept = await north.api.virtualdevice.driverChange({ id: device.id, driverId: untold.id })
    expect(kept).toMatchObject({ deleted: [], retyped: [] })
    const preview = await north.api.virtualdevice.driverChange({ id: device.id, driverId: counting })
    expect(preview.retyped).toMatchObject([{ key: 'door', time: clock.now().toISOString() }])
    await edit(north.api, device.id, { driverId: counting })
    expect(await north.api.state.get({ id: door?.id ?? 0 })).toMatchObject({
      key: 'door',
      valueType: 'number',
      unit: 'times',
      value: null,
    })
    expect(await pointsOf(door?.id ?? 0)).toHaveLength(1)
  })

  test('keeps states of what the new driver reads by its layout or computes, described or not', async () => {
    const device = await newDevice({ driverId })
    const { id: layout } = await north.api.devicedrivers.create({
      accountId: north.id,
      title: 'Layout',
      parser: { kind: 'single', fields: [{ type: 'integer', target: 'raw', offset: 0, length: 1 }] },
      calculated: [{ key: 'temperature', expression: 'raw / 2' }],
    })
    const preview = await north.api.virtualdevice.driverChange({ id: device.id, driverId: layout })
    expect(preview.deleted.map(({ key }) => key)).toEqual(['door'])
  })

  test('loses no state to a driver that names no variables, to none, or to another version', async () => {
    const device = await newDevice({ driverId })
    const silent = await newDriver(north, [])
    const nothing = { deleted: [], kept: [], retyped: [], uses: { items: [], more: false } }
    for (const next of [{ driverId: silent }, {}, { driverId, driverVersion: 1 }])
      expect(await north.api.virtualdevice.driverChange({ id: device.id, ...next })).toEqual(nothing)
    expect(
      await errorOf(north.api.virtualdevice.driverChange({ id: device.id, driverId, driverVersion: 9 })),
    ).toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND' })
    for (const next of [{ driverId: silent }, { driverId: null }, { driverId, driverVersion: 1 }])
      await edit(north.api, device.id, next)
    expect((await keysOf(device.id)).map(({ key }) => key)).toEqual(['temperature', 'door'])
  })

  test('keeps number and name of its floor, as a twin does', async () => {
    const device = await newDevice({ floorNumber: 1, floorName: ' Mezzanine ' })
    expect(device).toMatchObject({ floorNumber: 1, floorName: 'Mezzanine' })
    const renamed = await edit(north.api, device.id, { floorName: 'Gallery' })
    expect(renamed).toMatchObject({ floorNumber: 1, floorName: 'Gallery' })
    await north.api.virtualdevice.setDisabled({ id: device.id, flag: true })
    expect((await north.api.virtualdevice.get({ id: device.id })).floorName).toBe('Gallery')
    const twin = await north.api.digitaltwin.create({
      title: 'Hall',
      accountId: north.id,
      floorName: 'Gallery',
    })
    expect(await north.api.digitaltwin.get({ id: twin.id })).toMatchObject({ floorName: 'Gallery' })
  })

  test('is moved like a twin', async () => {
    const twin = await north.api.digitaltwin.create({ title: 'New place', accountId: north.id })
    const device = await newDevice()
    expect(await edit(north.api, device.id, { parentId: twin.id })).toMatchObject({
      parentTitle: 'New place',
    })
    const foreign = await app.api.digitaltwin.create({ title: 'Foreign', accountId: south.id })
    expect(await errorOf(edit(app.api, device.id, { parentId: foreign.id }))).toMatchObject({
      code: 'DTWIN_ACCOUNT_CHANGE',
    })
    expect(await edit(north.api, device.id, { parentId: null })).toMatchObject({ parentId: null })
  })

  test('is disabled by itself, or with the twin it is below', async () => {
    const house = await north.api.digitaltwin.create({ title: 'House', accountId: north.id })
    const room = await north.api.digitaltwin.create({ title: 'Room', parentId: house.id })
    const [inside, outside] = [await newDevice({ parentId: room.id }), await newDevice()]
    const disabled = async () => {
      const ids = [inside.id, outside.id]
      return (await north.api.virtualdevice.list({ ids, disabled: true })).items.map(({ id }) => id)
    }
    expect(await north.api.virtualdevice.setDisabled({ id: outside.id, flag: true })).toMatchObject({
      disabled: true,
    })
    expect(await disabled()).toEqual([outside.id])
    expect(await north.api.digitaltwin.setDisabled({ id: house.id, flag: true })).toMatchObject({
      disabled: true,
    })
    expect((await disabled()).toSorted()).toEqual([inside.id, outside.id].toSorted())
    expect(await north.api.digitaltwin.get({ id: room.id })).toMatchObject({ disabled: false })
    await north.api.digitaltwin.setDisabled({ id: house.id, flag: false })
    expect(await disabled()).toEqual([outside.id])
    const [entry] = (await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: house.id })).items
    expect(entry).toMatchObject({ action: 'enable', changes: { devices: 1 } })
  })

  test('is enabled with the twin it was disabled with, unless that is not why it is disabled', async () => {
    const { api } = north
    const house = await api.digitaltwin.create({ title: 'House', accountId: north.id })
    const flat = await api.digitaltwin.create({ title: 'Flat', parentId: house.id })
    const [off, hall, bath] = [
      await newDevice({ parentId: house.id }),
      await newDevice({ parentId: house.id }),
      await newDevice({ parentId: flat.id }),
    ]
    const isDisabled = () =>
      Promise.all([off, hall, bath].map(async ({ id }) => (await api.virtualdevice.get({ id })).disabled))
    const turnTwin = (id: number, flag: boolean) => api.digitaltwin.setDisabled({ id, flag })
    await api.virtualdevice.setDisabled({ id: off.id, flag: true })

    await turnTwin(house.id, true)
    expect(await isDisabled()).toEqual([true, true, true])
    await turnTwin(house.id, false)
    expect(await isDisabled()).toEqual([true, false, false])

    // The flat was disabled while the house was: its device follows the flat from then on.
    await turnTwin(house.id, true)
    await turnTwin(flat.id, true)
    await turnTwin(house.id, false)
    expect(await isDisabled()).toEqual([true, false, true])
    await turnTwin(flat.id, false)
    expect(await isDisabled()).toEqual([true, false, false])

    await turnTwin(house.id, true)
    for (const flag of [false, true]) await api.virtualdevice.setDisabled({ id: hall.id, flag })
    await turnTwin(house.id, false)
    expect(await isDisabled()).toEqual([true, true, false])
  })

  test('is not deleted while its states are aggregated elsewhere', async () => {
    const twin = await north.api.digitaltwin.create({ title: 'Sum of it', accountId: north.id })
    const device = await newDevice({ driverId, parentId: twin.id })
    const { items } = await north.api.digitaltwin.states({ id: device.id })
    const aggregate = await north.api.state.create({
      dtwinId: twin.id,
      key: 'copy',
      title: 'Copy',
      source: 'virtual-device-aggregate',
      sourceSettings: { stateIds: [items[0]?.id ?? 0] },
    })
    const blocking = {
      kind: 'aggregate',
      id: aggregate.id,
      title: 'Sum of it · Copy',
      blocking: true,
      owner: { kind: 'twin', id: twin.id },
    }
    expect(await errorOf(north.api.virtualdevice.delete({ id: device.id }))).toMatchObject({
      code: 'VDEVICE_DELETE_STATES_AGGREGATED',
      status: 409,
      data: { items: [blocking] },
    })
    expect(await north.api.virtualdevice.dependencies({ id: device.id })).toEqual({
      blocking: true,
      more: false,
      items: [blocking],
    })
    expect(await errorOf(north.api.digitaltwin.delete({ id: twin.id }))).toMatchObject({
      code: 'DTWIN_DELETE_HAS_DEPENDENCIES',
      data: { items: [{ kind: 'virtualDevice', id: device.id }] },
    })
    await north.api.state.delete({ id: aggregate.id })
    await north.api.virtualdevice.delete({ id: device.id })
    expect(await errorOf(north.api.virtualdevice.get({ id: device.id }))).toMatchObject({
      code: 'VDEVICE_NOT_FOUND',
    })
    await newDevice({ externalId: device.externalId })
  })
})

test('nothing of a sibling account can be seen or touched', async () => {
  const secret = await newDevice({ title: 'South secret', tags: ['south-tag'] }, south)
  const { virtualdevice } = north.api
  for (const filter of [
    { search_items: 'secret' },
    { search_items: secret.externalId },
    { search_items: `"${secret.id}"` },
    { ids: [secret.id] },
    { account_ids: [south.id] },
    { connector_ids: [south.connectorId] },
    { tags: ['south-tag'] },
  ]) {
    expect(await virtualdevice.list(filter)).toMatchObject({ items: [], total: 0 })
    expect(await virtualdevice.list({ ...filter, ids_only: true })).toMatchObject({ ids: [], total: 0 })
  }
  expect((await virtualdevice.tagsZones()).tags).not.toContain('south-tag')
  expect(await virtualdevice.statistics({ account_ids: [south.id] })).toEqual({
    total: 0,
    neverSeen: 0,
    byHealth: [],
    byConnector: [],
  })
  for (const call of [
    () => virtualdevice.get({ id: secret.id }),
    () => virtualdevice.update({ ...secret, title: 'x' }),
    () => virtualdevice.setDisabled({ id: secret.id, flag: true }),
    () => virtualdevice.delete({ id: secret.id }),
    () => virtualdevice.dependencies({ id: secret.id }),
    () => virtualdevice.packets({ id: secret.id }),
  ]) {
    expect(await errorOf(call())).toMatchObject({ code: 'VDEVICE_NOT_FOUND', status: 404 })
  }
  expect(await errorOf(north.api.digitaltwin.states({ id: secret.id }))).toMatchObject({
    code: 'DTWIN_NOT_FOUND',
  })
})

test('who may only read devices cannot change them', async () => {
  const device = await newDevice()
  const writes = await createRole(app, [{ subject: 'VirtualDevice', actions: ['write'] }])
  const reader = await createUser(app, north, [
    { roleId: await roleNamed(app, 'Viewer') },
    { roleId: writes, scopeId: south.scopeId },
  ])
  expect(await reader.api.virtualdevice.get({ id: device.id })).toMatchObject({ editable: false })
  for (const call of [
    () => reader.api.virtualdevice.update({ ...device, title: 'x' }),
    () => reader.api.virtualdevice.setDisabled({ id: device.id, flag: true }),
    () => reader.api.virtualdevice.delete({ id: device.id }),
  ]) {
    expect(await errorOf(call())).toMatchObject({ code: 'NO_PERMISSION', status: 403 })
  }
})

test('packets are paged by time over the months, also several of one millisecond, and filtered by error', async () => {
  const { db } = app.ctx
  const device = await newDevice()
  for (const month of ['2026-05-01', '2026-06-01'])
    await sql`select ensure_month_partition('packets', ${month}::date)`.execute(db)
  const times = [
    '2026-05-31T23:59:59.999Z',
    '2026-06-01T00:00:00.000Z',
    '2026-06-01T00:00:00.000Z',
    '2026-06-02T00:00:00.000Z',
  ]
  for (const [index, time] of times.entries()) {
    await db
      .insertInto('packets')
      .values({
        received_at: time,
        time,
        account_id: north.id,
        connector_id: north.connectorId,
        device_id: device.id,
        payload: `0${index}`,
        encoding: 'hex',
        f_port: 1,
        f_cnt: index,
        meta: '{"rssi":-90}',
        duration_us: 12,
        ...(index === 1 ? { error: '{"code":"SCRIPT_ERROR","message":"boom"}' } : { variables: '{"t":1}' }),
      })
      .execute()
  }
  const { packets } = north.api.virtualdevice
  const seen: string[] = []
  let next: { before?: string; beforeId?: number } | null = {}
  while (next) {
    const page: Awaited<ReturnType<typeof packets>> = await packets({ id: device.id, limit: 1, ...next })
    seen.push(...page.items.map(({ payload }) => payload))
    const last = page.items.at(-1)
    next = page.more && last ? { before: last.receivedAt, beforeId: last.id } : null
  }
  expect(seen).toEqual(['03', '02', '01', '00'])
  expect(
    (await packets({ id: device.id, before: '2026-06-01T00:00:00.000Z' })).items.map(
      ({ payload }) => payload,
    ),
  ).toEqual(['00'])
  const failed = await packets({ id: device.id, errorsOnly: true })
  expect(failed).toMatchObject({
    more: false,
    items: [
      { payload: '01', fCnt: 1, meta: { rssi: -90 }, variables: null, error: { code: 'SCRIPT_ERROR' } },
    ],
  })
})

describe('where a device was', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 11, minute))
  /** Latitudes and longitudes by minute. */
  const track = async (places: [minute: number, latitude: number, longitude: number][]) => {
    const { id } = await newDevice({ title: 'Tracker' })
    const latitude = await createState(app, id, 'latitude')
    const longitude = await createState(app, id, 'longitude')
    const values = places.flatMap(([minute, lat, lon]) => [
      { stateId: latitude, value: lat, time: at(minute) },
      { stateId: longitude, value: lon, time: at(minute) },
    ])
    await writeValues(app, values)
    return id
  }
  const brief = ({ items, ...rest }: Awaited<ReturnType<Api['virtualdevice']['geoHistory']>>) => ({
    ...rest,
    places: items.map(({ time, until, latitude, longitude }) => [
      ...[new Date(time).getUTCMinutes(), new Date(until).getUTCMinutes()],
      ...[latitude, longitude],
    ]),
  })

  test('is told by its states, with how long it stayed', async () => {
    const id = await track([
      [1, 51.1, 7.1],
      [5, 51.1, 7.1],
      [9, 51.2, 7.2],
    ])
    expect(brief(await north.api.virtualdevice.geoHistory({ id }))).toEqual({
      more: false,
      reports: true,
      places: [
        [1, 5, 51.1, 7.1],
        [9, 9, 51.2, 7.2],
      ],
    })
  })

  test('is told of a period, newest places first to be kept, and pages back', async () => {
    const id = await track([10, 20, 30, 40, 50].map((minute) => [minute, minute, minute / 10]))
    const span = { start: at(15).toISOString(), end: at(45).toISOString() }
    const last = await north.api.virtualdevice.geoHistory({ id, ...span, limit: 2 })
    expect(brief(last)).toMatchObject({
      more: true,
      places: [
        [30, 30, 30, 3],
        [40, 40, 40, 4],
      ],
    })
    const earlier = { ...span, end: last.items[0]?.time }
    const first = await north.api.virtualdevice.geoHistory({ id, ...earlier, limit: 2 })
    expect(brief(first)).toMatchObject({ more: false, places: [[20, 20, 20, 2]] })
  })

  test('is empty for a device that does not say where it is, and hidden from others', async () => {
    const { id } = await newDevice()
    expect(await north.api.virtualdevice.geoHistory({ id })).toEqual({
      items: [],
      more: false,
      reports: false,
    })
    expect(await errorOf(south.api.virtualdevice.geoHistory({ id }))).toMatchObject({
      code: 'VDEVICE_NOT_FOUND',
    })
  })

  test('needs a period that begins before it ends', async () => {
    const { id } = await newDevice()
    const wrong = { start: at(20).toISOString(), end: at(10).toISOString() }
    expect((await errorOf(north.api.virtualdevice.geoHistory({ id, ...wrong }))).status).toBe(400)
    const later = new Date(clock.now().getTime() + 60_000).toISOString()
    expect(await errorOf(north.api.virtualdevice.geoHistory({ id, start: later }))).toMatchObject({
      code: 'INVALID_DATE_RANGE',
    })
  })
})

test('where the values of a device go is listed, with what others may not see only counted', async () => {
  const { id } = await newDevice({ driverId })
  const [temperature, door] = (await north.api.digitaltwin.states({ id })).items
  const room = await north.api.digitaltwin.create({ title: 'Room', accountId: north.id })
  const fed = await north.api.state.create({
    dtwinId: room.id,
    key: 'warmth',
    title: 'Warmth',
    source: 'virtual-device-aggregate',
    sourceSettings: { stateIds: [temperature?.id ?? 0], method: 'latest' },
  })
  const foreign = await createTwin(app, south)
  const foreignState = await createState(app, foreign.id, 'warmth', { source: 'aggregate' })
  await app.ctx.db
    .insertInto('state_links')
    .values({ state_id: foreignState, source_state_id: door?.id ?? 0 })
    .execute()
  const { items, total, hidden } = await north.api.virtualdevice.dataRoutes({ id })
  expect(items).toEqual([
    {
      sourceStateId: temperature?.id,
      sourceKey: 'temperature',
      sourceTitle: 'Temperature',
      stateId: fed.id,
      key: 'warmth',
      title: 'Warmth',
      source: 'virtual-device-aggregate',
      method: 'latest',
      sourceCount: 1,
      twinId: room.id,
      twinTitle: 'Room',
      category: 'digitalTwin',
      editable: true,
    },
  ])
  expect({ total, hidden }).toEqual({ total: 1, hidden: 1 })
  expect(await errorOf(south.api.virtualdevice.dataRoutes({ id }))).toMatchObject({
    code: 'VDEVICE_NOT_FOUND',
  })
})
