import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'

const begin = '2026-06-15T08:00:00.000Z'
const clock = new FakeClock(begin)

let app: TestApp
let account: { id: number; scopeId: number }
let roleId: number
let clinic: { id: number }
let connector: Awaited<ReturnType<typeof createConnector>>

beforeAll(async () => {
  app = await startApp({ clock })
  roleId = await createRole(app, [
    { subject: 'IsAssetMgmt', actions: ['manage'] },
    { subject: 'DigitalTwin', actions: ['read'] },
    { subject: 'DigitalTwin', actions: ['write'] },
    { subject: 'VirtualDevice', actions: ['read'] },
  ])
})
beforeEach(async () => {
  clock.set(begin)
  account = await createAccount(app)
  clinic = await createTwin(app, account, { title: 'Clinic' })
  connector = await createConnector(app, account.id, account.scopeId)
})

const metre = 1 / 111_195
/** A square around a place, so many metres from its centre to its sides. */
const square = (latitude: number, longitude: number, metres: number): GeoPolygon => {
  const [high, wide] = [metres * metre, (metres * metre) / Math.cos((latitude * Math.PI) / 180)]
  const corner = (x: number, y: number) => [longitude + x * wide, latitude + y * high]
  return {
    type: 'Polygon',
    coordinates: [[corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)]],
  }
}
const ward = { latitude: 53.5, longitude: 10 }
const store = { latitude: 53.51, longitude: 10 }
const yard = { latitude: 53.6, longitude: 10 }

const createZone = async (title: string, geoPolygon: GeoPolygon | null, api = app.api) =>
  api.digitaltwin.create({ parentId: clinic.id, title, type: 'zone', geoPolygon })

async function zones() {
  return {
    ward: await createZone('Ward 3', square(ward.latitude, ward.longitude, 50)),
    room: await createZone('Room 12', square(ward.latitude, ward.longitude, 10)),
    store: await createZone('Store', square(store.latitude, store.longitude, 50)),
  }
}

/** A device that reports positions. */
async function createTracker(externalId: string) {
  const id = await createDevice(app, connector, externalId)
  const [latitude, longitude] = [
    await createState(app, id, 'latitude'),
    await createState(app, id, 'longitude'),
  ]
  return { id, externalId, latitude, longitude }
}
type Tracker = Awaited<ReturnType<typeof createTracker>>

function wait(minutes: number): void {
  clock.set(new Date(clock.now().getTime() + minutes * 60_000).toISOString())
}

/** A position of a tracker, `minutes` after the one before. */
async function report(
  tracker: Tracker,
  { latitude, longitude }: { latitude: number; longitude: number },
  minutes = 10,
) {
  wait(minutes)
  const time = clock.now()
  await writeValues(app, [
    { stateId: tracker.latitude, value: latitude, time },
    { stateId: tracker.longitude, value: longitude, time },
  ])
  await app.drain()
}

async function createAsset(title = 'Infusion pump', rest: object = {}, api = app.api) {
  const { ids } = await api.isAssetMgmt.import({ parentId: clinic.id, rows: [{ title, ...rest }] })
  // Positions of the next moment might be stored before it is heard that there are assets.
  await app.ctx.configChanges.settle()
  return ids[0] as number
}
const person = () => createUser(app, account, [{ roleId }])

describe('an asset', () => {
  it('is where its tracker is: in the smallest zone around it, with the zones it was in', async () => {
    const { room, store: depot } = await zones()
    const tracker = await createTracker('tag-1')
    const max = await person()
    const id = await createAsset('Infusion pump', {}, max.api)
    expect(await max.api.isAssetMgmt.get({ id })).toMatchObject({ zone: null, seenAt: null, place: 'loose' })
    await max.api.isAssetMgmt.bindTracker({ id, deviceId: tracker.id })
    await report(tracker, ward)
    expect(await max.api.isAssetMgmt.get({ id })).toMatchObject({
      zone: { id: room.id, title: 'Room 12' },
      zoneSince: '2026-06-15T08:10:00.000Z',
      seenAt: '2026-06-15T08:10:00.000Z',
      position: ward,
      tracker: { deviceId: tracker.id },
    })
    await report(tracker, store)
    await report(tracker, yard)
    expect(await max.api.isAssetMgmt.get({ id })).toMatchObject({ zone: null, position: yard })
    const stays = await max.api.isAssetMgmt.stays({ id })
    expect(
      stays.items.map(({ zone, from, until }) => [zone, from.slice(11, 16), until?.slice(11, 16)]),
    ).toEqual([
      ['Store', '08:20', '08:30'],
      ['Room 12', '08:10', '08:20'],
    ])
    expect((await max.api.isAssetMgmt.fetch({ zoneIds: [depot.id] })).items).toEqual([])
    wait(1)
    const track = await max.api.isAssetMgmt.track({ id })
    expect(track.items.map(({ latitude }) => latitude)).toEqual([53.5, 53.51, 53.6])
  })

  it('can be a favourite of people who see it', async () => {
    const max = await person()
    const id = await createAsset('Infusion pump')
    await createAsset('Bed')
    const star = { type: 'asset', objectId: id } as const
    expect(await max.api.favorite.create(star)).toMatchObject({ ...star, title: 'Infusion pump' })
    expect((await max.api.isAssetMgmt.fetch({ favorites: true })).items.map((asset) => asset.id)).toEqual([
      id,
    ])
    const stranger = await createUser(app, await createAccount(app), [{ roleId }])
    expect(await errorOf(stranger.api.favorite.create(star))).toMatchObject({ code: 'NOT_FOUND' })
    await app.api.digitaltwin.delete({ id })
    expect((await max.api.favorite.list()).items).toEqual([])
  })

  it('stays in its zone while its position only scatters, and what arrives late moves nothing', async () => {
    const { ward: hall } = await zones()
    await app.api.digitaltwin.delete({ id: (await createZone('Elsewhere', square(50, 9, 10))).id })
    const tracker = await createTracker('tag-1')
    const id = await createAsset()
    await app.api.isAssetMgmt.bindTracker({ id, deviceId: tracker.id })
    const inside = { ...ward, latitude: ward.latitude + 40 * metre }
    await report(tracker, inside)
    await report(tracker, { ...ward, latitude: ward.latitude + 60 * metre })
    expect((await app.api.isAssetMgmt.get({ id })).zone?.id).toBe(hall.id)
    await report(tracker, { ...ward, latitude: ward.latitude + 80 * metre })
    expect((await app.api.isAssetMgmt.get({ id })).zone).toBeNull()
    expect((await app.api.isAssetMgmt.stays({ id })).total).toBe(1)
  })

  it('keeps what its former tracker reported when it gets another one, and is free without', async () => {
    const [one, two] = [await createTracker('tag-1'), await createTracker('tag-2')]
    const { store: depot } = await zones()
    const id = await createAsset()
    await app.api.isAssetMgmt.bindTracker({ id, deviceId: one.id })
    await report(one, ward)
    wait(1)
    await app.api.isAssetMgmt.bindTracker({ id, deviceId: two.id })
    await report(one, yard)
    await report(two, store)
    expect((await app.api.isAssetMgmt.get({ id })).zone?.id).toBe(depot.id)
    wait(1)
    expect((await app.api.isAssetMgmt.track({ id })).items.map(({ latitude }) => latitude)).toEqual([
      53.5, 53.51,
    ])
    const free = await app.api.isAssetMgmt.devices({ search: '' })
    expect(free.items.map(({ id }) => id)).toContain(one.id)
    expect(free.items.map(({ id }) => id)).not.toContain(two.id)
    const other = await createAsset('Pump 2')
    expect(await errorOf(app.api.isAssetMgmt.bindTracker({ id: other, deviceId: two.id }))).toMatchObject({
      code: 'ASSET_TRACKER_TAKEN',
    })
    await app.api.isAssetMgmt.unbindTracker({ id })
    await report(two, yard)
    expect((await app.api.isAssetMgmt.get({ id })).position).toEqual(store)
    expect(await errorOf(app.api.isAssetMgmt.unbindTracker({ id }))).toMatchObject({
      code: 'ASSET_NOT_TRACKED',
    })
    const { items } = await app.api.isAssetMgmt.trackers({ id })
    expect(items.map(({ deviceId, until }) => [deviceId, until !== null])).toEqual([
      [two.id, true],
      [one.id, true],
    ])
  })

  it('is found in a zone that is drawn around it, and no longer in one that was deleted', async () => {
    const tracker = await createTracker('tag-1')
    const id = await createAsset()
    await app.api.isAssetMgmt.bindTracker({ id, deviceId: tracker.id })
    await report(tracker, ward)
    const zone = await createZone('Drawn later', square(ward.latitude, ward.longitude, 20))
    await app.drain()
    expect((await app.api.isAssetMgmt.get({ id })).zone?.id).toBe(zone.id)
    await app.api.digitaltwin.delete({ id: zone.id })
    await app.drain()
    expect((await app.api.isAssetMgmt.get({ id })).zone).toBeNull()
    const { items } = await app.api.isAssetMgmt.stays({ id })
    expect(items).toMatchObject([{ zoneId: null, until: expect.any(String) }])
  })

  it('is found by an event that is handled twice exactly once', async () => {
    await zones()
    const tracker = await createTracker('tag-1')
    const ids = [await createAsset('One'), await createAsset('Two')]
    await app.api.isAssetMgmt.bindTracker({ id: ids[0] as number, deviceId: tracker.id })
    for (const place of [ward, store, ward, yard, ward]) await report(tracker, place, 1)
    const { items } = await app.api.isAssetMgmt.stays({ id: ids[0] as number })
    expect(items.map(({ zone }) => zone)).toEqual(['Room 12', 'Room 12', 'Store', 'Room 12'])
    expect((await app.api.isAssetMgmt.stays({ id: ids[1] as number })).total).toBe(0)
  })
})

describe('an inventory', () => {
  it('shows what belongs to a zone, what is missing there, and what does not belong', async () => {
    const { room, store: depot } = await zones()
    const [one, two] = [await createTracker('tag-1'), await createTracker('tag-2')]
    const rows = [
      { title: 'Pump 1', homeZone: 'Store', tracker: 'tag-1', category: 'Pump', inventoryNumber: 'P-1' },
      { title: 'Pump 2', homeZone: 'Store', tracker: 'tag-2', category: 'Pump', inventoryNumber: 'P-2' },
      { title: 'Pump 3', homeZone: 'Store', category: 'Pump' },
    ]
    const { ids } = await app.api.isAssetMgmt.import({ parentId: clinic.id, rows })
    await app.ctx.configChanges.settle()
    await report(one, store)
    await report(two, ward, 50)
    await app.api.isAssetMgmt.lend({ id: ids[2] as number, borrower: 'Dr. Ada', dueAt: '2026-06-16' })
    const mine = { accountIds: [account.id] }
    const { items } = await app.api.isAssetMgmt.zones({ ...mine, days: 1 })
    expect(items.find(({ id }) => id === depot.id)).toMatchObject({
      assets: 1,
      strangers: 0,
      expected: 3,
      missing: 1,
      stays: 1,
      medianSeconds: null,
    })
    expect(items.find(({ id }) => id === depot.id)?.occupied).toBeCloseTo(50 / 1_440, 5)
    expect(items.find(({ id }) => id === room.id)).toMatchObject({ assets: 1, strangers: 1, expected: 0 })
    const titles = async (filter: object) =>
      (await app.api.isAssetMgmt.fetch({ ...mine, ...filter })).items.map(({ title }) => title)
    expect(await titles({ homeZoneIds: [depot.id], places: ['away'] })).toEqual(['Pump 2'])
    expect(await titles({ zoneIds: [room.id], stranger: true })).toEqual(['Pump 2'])
    expect(await titles({ places: ['lent'] })).toEqual(['Pump 3'])
    expect(await titles({ overdue: true, today: '2026-06-16' })).toEqual([])
    expect(await titles({ overdue: true, today: '2026-06-17' })).toEqual(['Pump 3'])
    expect(await titles({ search: 'p-2' })).toEqual(['Pump 2'])
    expect(await titles({ tracked: false })).toEqual(['Pump 3'])
    expect(await app.api.isAssetMgmt.categoriesZones(mine)).toMatchObject({
      categories: [{ name: 'Pump', assets: 3 }],
      zones: [{ title: 'Room 12' }, { title: 'Store' }, { title: 'Ward 3' }],
    })
    const { body } = await app.api.isAssetMgmt.exportFile({ ...mine, format: 'csv', language: 'en' })
    const file = await new Response(body as Blob).text()
    expect(file).toContain('Pump 2')
    expect(file).toContain('Elsewhere')
  })
})

describe('a loan', () => {
  it('ends when the asset is back, and cannot begin twice', async () => {
    const max = await person()
    const id = await createAsset('Wheelchair', {}, max.api)
    const lend = () => max.api.isAssetMgmt.lend({ id, borrower: 'Ward 5', dueAt: null })
    const results = await Promise.allSettled([lend(), lend(), lend()])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await errorOf(lend())).toMatchObject({ code: 'ASSET_LENT' })
    clock.set('2026-06-15T10:00:00.000Z')
    expect(await max.api.isAssetMgmt.giveBack({ id })).toMatchObject({ loan: null })
    expect(await errorOf(max.api.isAssetMgmt.giveBack({ id }))).toMatchObject({ code: 'ASSET_NOT_LENT' })
    expect((await max.api.isAssetMgmt.loans({ id })).items).toMatchObject([
      { borrower: 'Ward 5', from: begin, until: '2026-06-15T10:00:00.000Z' },
    ])
    const { items } = await app.api.activityLog.list({ subject: 'Asset', objectId: id })
    expect(items.map(({ action }) => action)).toEqual(['giveBack', 'lend'])
  })
})

describe('an import', () => {
  it('makes all assets or none, and names what is wrong in which row', async () => {
    await zones()
    await createZone('Store', square(50, 9, 10))
    await createTracker('tag-1')
    await createAsset('There', { inventoryNumber: 'A-1' })
    const rows = [
      { title: 'One', inventoryNumber: 'A-1' },
      { title: 'Two', inventoryNumber: 'A-2', homeZone: 'Nowhere' },
      { title: 'Three', inventoryNumber: 'A-2', homeZone: 'Store', tracker: 'tag-9' },
      { title: 'Four', tracker: 'tag-1' },
      { title: 'Five', tracker: 'tag-1' },
    ]
    const error = await errorOf(app.api.isAssetMgmt.import({ parentId: clinic.id, rows }))
    expect(error).toMatchObject({ code: 'ASSET_ROWS_INVALID' })
    expect(error.data).toMatchObject({
      rows: [
        { row: 0, field: 'inventoryNumber', why: 'taken' },
        { row: 1, field: 'homeZone', why: 'unknown' },
        { row: 2, field: 'inventoryNumber', why: 'twice' },
        { row: 2, field: 'homeZone', why: 'ambiguous' },
        { row: 2, field: 'tracker', why: 'unknown' },
        { row: 4, field: 'tracker', why: 'twice' },
      ],
    })
    expect((await app.api.isAssetMgmt.fetch({ accountIds: [account.id] })).total).toBe(1)
  })

  it('needs the right to make twins there', async () => {
    const role = await createRole(app, [{ subject: 'IsAssetMgmt', actions: ['manage'] }])
    const eve = await createUser(app, account, [{ roleId: role }])
    const rows = [{ title: 'One' }]
    expect(await errorOf(eve.api.isAssetMgmt.import({ parentId: clinic.id, rows }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
  })
})

describe('an inventory number', () => {
  it('is unique in its account', async () => {
    await createAsset('One', { inventoryNumber: 'A-1' })
    const two = await createAsset('Two')
    const { version } = await app.api.isAssetMgmt.get({ id: two })
    const values = { id: two, version, category: 'Pump', inventoryNumber: 'A-1', homeZoneId: null }
    expect(await errorOf(app.api.isAssetMgmt.update(values))).toMatchObject({ code: 'ASSET_NUMBER_TAKEN' })
    const changed = await app.api.isAssetMgmt.update({ ...values, inventoryNumber: 'A-2' })
    expect(changed).toMatchObject({ category: 'Pump', inventoryNumber: 'A-2' })
    expect(await errorOf(app.api.isAssetMgmt.update({ ...values, inventoryNumber: 'A-3' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
  })
})

describe('a map', () => {
  it('shows up to 100 assets one by one, and groups of more', async () => {
    const { room } = await zones()
    const many = Array.from({ length: 101 }, (_, n) => ({ title: `Pump ${n}` }))
    const { ids } = await app.api.isAssetMgmt.import({ parentId: clinic.id, rows: many })
    const place = async (id: number, latitude: number, longitude: number) =>
      app.ctx.db.updateTable('twins').set({ latitude, longitude }).where('id', '=', id).execute()
    for (const [n, id] of ids.entries()) await place(id, n === 0 ? 40 : 53.5, 10 + n * 1e-6)
    const world = { zoom: 3, accountIds: [account.id] }
    const all = await app.api.isAssetMgmt.geo(world)
    expect(all).toMatchObject({ count: 101, assets: [{ title: 'Pump 0' }], groups: [{ count: 100 }] })
    const here = await app.api.isAssetMgmt.geo({ ...world, zoom: 16, south: 53, north: 54 })
    expect(here).toMatchObject({ count: 100, groups: [] })
    expect(here.assets).toHaveLength(100)
    expect(here.zones.map(({ id }) => id)).toContain(room.id)
    expect(here.bounds).toMatchObject({ south: 40, north: 53.5 })
  })
})

describe('people of other accounts', () => {
  it('are not told who bound a tracker where they may not read users', async () => {
    const other = await createAccount(app)
    const users = await createRole(app, [{ subject: 'UserManagement', actions: ['read'] }])
    const eve = await createUser(app, other, [{ roleId: users }, { roleId, scopeId: account.scopeId }])
    const id = await createAsset()
    const tracker = await createTracker('tag-1')
    await app.api.isAssetMgmt.bindTracker({ id, deviceId: tracker.id })
    expect((await eve.api.isAssetMgmt.trackers({ id })).items).toMatchObject([{ boundBy: null }])
    expect((await app.api.isAssetMgmt.trackers({ id })).items).toMatchObject([
      { boundBy: expect.any(String) },
    ])
  })

  it('see and change nothing, and no zones or devices of others are named', async () => {
    const { room } = await zones()
    const id = await createAsset('Infusion pump', { homeZone: 'Room 12' })
    const other = await createAccount(app)
    const eve = await createUser(app, other, [{ roleId }])
    const { id: parentId } = await createTwin(app, other, { title: 'Other' })
    const own = await eve.api.isAssetMgmt.import({ parentId, rows: [{ title: 'Mine' }] })
    const [mine] = own.ids as [number]
    const { version } = await eve.api.isAssetMgmt.get({ id: mine })
    const tracker = await createTracker('tag-1')
    const values = { category: '', inventoryNumber: '', version }
    const refused: [() => Promise<unknown>, string][] = [
      [() => eve.api.isAssetMgmt.get({ id }), 'ASSET_NOT_FOUND'],
      [() => eve.api.isAssetMgmt.track({ id }), 'ASSET_NOT_FOUND'],
      [() => eve.api.isAssetMgmt.lend({ id, borrower: 'Eve', dueAt: null }), 'ASSET_NOT_FOUND'],
      [() => eve.api.isAssetMgmt.bindTracker({ id: mine, deviceId: tracker.id }), 'VDEVICE_NOT_FOUND'],
      [
        () => eve.api.isAssetMgmt.update({ id: mine, ...values, homeZoneId: room.id }),
        'ASSET_ZONE_NOT_FOUND',
      ],
      [
        () => eve.api.isAssetMgmt.import({ parentId, rows: [{ title: 'x', homeZone: 'Room 12' }] }),
        'ASSET_ROWS_INVALID',
      ],
      [
        () => eve.api.isAssetMgmt.import({ parentId, rows: [{ title: 'x', tracker: 'tag-1' }] }),
        'ASSET_ROWS_INVALID',
      ],
    ]
    for (const [call, code] of refused) expect(await errorOf(call())).toMatchObject({ code })
    expect((await eve.api.isAssetMgmt.fetch({})).items.map(({ title }) => title)).toEqual(['Mine'])
  })
})
