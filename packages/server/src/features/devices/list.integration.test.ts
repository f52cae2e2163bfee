import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

interface Tenant {
  id: number
  scopeId: number
  api: Api
  connectorId: number
}

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp

let city: Tenant
let otherConnector: number
const ids: Record<string, number> = {}

beforeAll(async () => {
  app = await startApp({ clock })
  const account = await createAccount(app, { name: 'City' })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
  city = { ...account, api, connectorId: await newConnector(account, 'City network') }
  otherConnector = await newConnector(city, 'Second network', 'webhook-in')
  const park = await city.api.digitaltwin.create({ title: 'Park', accountId: city.id })
  const devices = [
    {
      title: 'Bin 2',
      externalId: 'A8-17-58-FF-FE-00-00-02',
      tags: ['bin', 'a'],
      zones: ['west'],
      groups: ['Waste', 'Pilot'],
      parentId: park.id,
    },
    {
      title: 'bin 10',
      externalId: 'a81758fffe000010',
      tags: ['bin'],
      groups: ['Waste'],
      connectorId: otherConnector,
    },
    { title: 'Lamp', externalId: 'lamp/1', operationalStatus: 3, keyValues: { serial: 'X-1' } },
    { title: 'Äther', externalId: '50%', referenceIds: [{ name: 'inventory', value: '0815' }] },
  ]
  for (const device of devices)
    ids[device.title] = (await city.api.virtualdevice.create({ connectorId: city.connectorId, ...device })).id
  const live = async (title: string, lastSeen: string, health: number) =>
    app.ctx.db
      .updateTable('device_live')
      .set({ last_seen: lastSeen, health })
      .where('twin_id', '=', ids[title] ?? 0)
      .execute()
  await live('Bin 2', '2026-06-15T11:59:00Z', 0)
  await live('bin 10', '2026-06-15T10:00:00Z', 2)
  await city.api.virtualdevice.setDisabled({ id: ids.Lamp ?? 0, flag: true })
  await city.api.favorite.create({ type: 'virtualDevice', objectId: ids.Lamp ?? 0 })
})

test('a page begins where the one before it ended, in every order', async () => {
  const orders = [
    'title',
    'createdAt',
    'updatedAt',
    'id',
    'externalId',
    'operationalStatus',
    'lastSeen',
    'health',
  ]
  for (const order_by of orders.flatMap((name) => [name, `-${name}`] as never[])) {
    const whole = (await city.api.virtualdevice.list({ order_by })).items.map(({ id }) => id)
    for (const limit of [1, 3]) {
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(whole.length / limit) }, (_, page) =>
          city.api.virtualdevice.list({ order_by, limit, offset: page * limit }),
        ),
      )
      expect(
        pages.flatMap(({ items }) => items.map(({ id }) => id)),
        `${order_by}`,
      ).toEqual(whole)
    }
  }
})

test.each([
  ['title', ['Äther', 'Bin 2', 'bin 10', 'Lamp']],
  ['-title', ['Lamp', 'bin 10', 'Bin 2', 'Äther']],
  ['externalId', ['Äther', 'Bin 2', 'bin 10', 'Lamp']],
  ['-lastSeen', ['Bin 2', 'bin 10', 'Äther', 'Lamp']],
  ['lastSeen', ['bin 10', 'Bin 2', 'Lamp', 'Äther']],
  ['health', ['Bin 2', 'bin 10', 'Lamp', 'Äther']],
  ['-operationalStatus', ['Lamp', 'Äther', 'bin 10', 'Bin 2']],
  ['-id', ['Äther', 'Lamp', 'bin 10', 'Bin 2']],
] as const)('sorted by %s', async (orderBy, expected) => {
  expect(titles(await city.api.virtualdevice.list({ order_by: orderBy }))).toEqual(expected)
})

type Filter = Parameters<Api['virtualdevice']['list']>[0]

test.each([
  ['part of the title', { search_items: 'IN' }, ['Bin 2', 'bin 10']],
  ['exact title', { search_items: '"bin 2"' }, ['Bin 2']],
  ['part of the external id', { search_items: '58fffe' }, ['Bin 2', 'bin 10']],
  ['EUI with separators', { search_items: 'a8:17:58:ff:fe:00:00:10' }, ['bin 10']],
  ['exact EUI with separators', { search_items: '"A8-17-58-FF-FE-00-00-02"' }, ['Bin 2']],
  ['EUI with blanks', { search_items: 'A8 17 58 FF FE 00 00 10' }, ['bin 10']],
  ['words in any order, of title and external id', { search_items: '0010 BIN' }, ['bin 10']],
  ['a word that is missing', { search_items: 'bin west' }, []],
  ['letters without accents', { search_items: 'ather' }, ['Äther']],
  ['umlauts as two letters', { search_items: 'aether' }, ['Äther']],
  ['without separators', { search_items: 'lamp1' }, ['Lamp']],
  ['one letter', { search_items: 'm' }, ['Lamp']],
  ['wildcards are plain text', { search_items: '50%' }, ['Äther']],
  ['any of the tags', { tags: ['a', 'x'] }, ['Bin 2']],
  ['zone', { zones: ['west'] }, ['Bin 2']],
  ['status', { operational_status: [3] }, ['Lamp']],
  ['health', { health: [2, 0] }, ['Bin 2', 'bin 10']],
  ['not seen for an hour, or never', { last_seen_older_minutes: 60 }, ['bin 10', 'Lamp', 'Äther']],
  ['key', { key_value: 'serial' }, ['Lamp']],
  ['key and value', { key_value: 'serial="X-1"' }, ['Lamp']],
  ['reference id', { reference_id: '081' }, ['Äther']],
  ['reference id by name', { reference_id: 'inventory=0815' }, ['Äther']],
  ['reference id of another name', { reference_id: 'meter=0815' }, []],
  ['disabled', { disabled: true }, ['Lamp']],
  ['enabled', { disabled: false }, ['Bin 2', 'bin 10', 'Äther']],
  ['favourites', { favorites: true }, ['Lamp']],
  ['any of the groups', { groups: ['Pilot', 'x'] }, ['Bin 2']],
  ['kind of connector', { bridge_types: ['webhook-in'] }, ['bin 10']],
  ['all of several texts', { search_items: ['bin', '58fffe', '10'] }, ['bin 10']],
  ['any of several texts', { search_items: ['lamp', '"bin 2"'], search_operator: 'or' }, ['Bin 2', 'Lamp']],
  ['filters as JSON', { filters: JSON.stringify({ tags: ['bin'], health: [2] }) }, ['bin 10']],
  ['filters beside go before', { filters: '{"health":[2],"tags":["bin"]}', health: [0] }, ['Bin 2']],
  ['several at once', { search_items: 'bin', health: [0], tags: ['bin'] }, ['Bin 2']],
] as const)('filter: %s', async (_name, filter, expected) => {
  const found = await city.api.virtualdevice.list(filter as Filter)
  expect(titles(found).toSorted()).toEqual(expected.toSorted())
  expect(found.total).toBe(expected.length)
})

test('filter by connector, driver, parent and id; ids alone; pages', async () => {
  const { list } = city.api.virtualdevice
  expect(titles(await list({ connector_ids: [otherConnector] }))).toEqual(['bin 10'])
  expect(titles(await list({ driver_ids: [1] }))).toEqual([])
  expect(titles(await list({ ids: [ids.Lamp ?? 0] }))).toEqual(['Lamp'])
  expect(titles(await list({ search_items: String(ids.Lamp) }))).toContain('Lamp')
  const [bin] = (await list({ search_items: 'Bin 2' })).items
  expect(titles(await list({ parent_id: bin?.parentId ?? 0 }))).toEqual(['Bin 2'])
  expect(await list({ ids_only: true, limit: 2 })).toEqual({
    items: [],
    total: 4,
    offset: 0,
    limit: 2,
    ids: [ids.Äther, ids['Bin 2']],
  })
  expect(await list({ offset: 3, limit: 2 })).toMatchObject({
    total: 4,
    offset: 3,
    items: [{ title: 'Lamp' }],
  })
})

test('filters that are no JSON, or name what is no filter, are refused', async () => {
  for (const filters of ['{', '{"colour":["red"]}', '[]'])
    await expect(city.api.virtualdevice.list({ filters })).rejects.toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
})

test('groups in use, kept when a change does not name them', async () => {
  expect(await city.api.virtualdevice.groups({})).toEqual({
    items: [
      { accountId: city.id, name: 'Pilot', count: 1 },
      { accountId: city.id, name: 'Waste', count: 2 },
    ],
  })
  const { id, title, externalId, version } = await city.api.virtualdevice.get({ id: ids['bin 10'] ?? 0 })
  const kept = await city.api.virtualdevice.update({ id, title, externalId, version, tags: ['bin'] })
  expect(kept.groups).toEqual(['Waste'])
  const other = { id, title, externalId, tags: ['bin'] }
  const none = await city.api.virtualdevice.update({ ...other, version: kept.version, groups: [] })
  expect(none.groups).toEqual([])
  await city.api.virtualdevice.update({ ...other, version: none.version, groups: ['Waste', 'Waste'] })
  expect((await city.api.virtualdevice.get({ id })).groups).toEqual(['Waste'])
})

test('rows hold reference ids, properties and drivers when asked for', async () => {
  const search_items = 'Äther'
  const [bare] = (await city.api.virtualdevice.list({ search_items })).items
  expect(bare).not.toHaveProperty('referenceIds')
  expect(bare).not.toHaveProperty('keyValues')
  expect(bare).not.toHaveProperty('driver')
  const full = { include_identifiers: true, include_properties: true, include_drivers: true }
  const [row] = (await city.api.virtualdevice.list({ search_items, ...full })).items
  expect(row).toMatchObject({
    referenceIds: [{ name: 'inventory', value: '0815' }],
    keyValues: {},
    description: '',
    address: '',
    floorNumber: null,
    driver: null,
  })
})

test('devices of some scopes, and as somebody else', async () => {
  const land = await createAccount(app, { name: 'Land' })
  const village = await createAccount(app, { name: 'Village', parent: land })
  const { api, id } = await createUser(app, land, [{ roleId: await roleNamed(app, 'Device manager') }])
  const { list, create } = api.virtualdevice
  const network = await newConnector(land, 'Land network')
  await create({ title: 'Land', externalId: 'land', connectorId: network })
  const below = await newConnector(village, 'Village network')
  await create({ title: 'Village', externalId: 'village', connectorId: below })
  const order_by = 'title'
  expect(titles(await list({ order_by, scope_ids: [land.scopeId] }))).toEqual(['Land', 'Village'])
  expect(titles(await list({ scope_ids: [land.scopeId], options: ['no_descendents'] }))).toEqual(['Land'])
  expect(titles(await list({ scope_ids: [village.scopeId] }))).toEqual(['Village'])
  expect((await list({ scope_ids: [city.scopeId] })).total, 'scopes of others').toBe(0)
  expect((await list({ user_id: id })).total).toBe(2)
  await expect(list({ user_id: id + 1 })).rejects.toMatchObject({ code: 'NO_PERMISSION' })
})

test('a restricted query finds what the caller may change', async () => {
  const viewer = await createUser(app, city, [{ roleId: await roleNamed(app, 'Viewer') }])
  expect((await viewer.api.virtualdevice.list({})).total).toBe(4)
  expect((await viewer.api.virtualdevice.list({ restricted_query: true })).total).toBe(0)
  expect((await city.api.virtualdevice.list({ restricted_query: true })).total).toBe(4)
})

test('devices by the kind of their connector', async () => {
  const { fetchByBridgeType } = city.api.virtualdevice
  expect(titles(await fetchByBridgeType({ type: 'webhook-in' }))).toEqual(['bin 10'])
  expect(await fetchByBridgeType({ type: 'mqtt-in', limit: 1 })).toMatchObject({ total: 3, items: [{}] })
  expect((await fetchByBridgeType({ type: 'none of these' })).total).toBe(0)
})

test('CSV of the list: in its order, in two languages, within the limit of the account', async () => {
  const { exportFile } = city.api.virtualdevice
  const columns = ['title', 'externalId', 'health', 'groups', 'referenceIds'] as const
  const german = await linesOf(exportFile({ columns: [...columns], language: 'de', order_by: 'title' }))
  expect(german).toEqual([
    'Titel;Kennung;Zustand;Gruppen;Referenz-IDs',
    'Äther;50%;Unbekannt;;inventory=0815',
    'Bin 2;A81758FFFE000002;In Ordnung;Waste, Pilot;',
    'bin 10;A81758FFFE000010;Fehler;Waste;',
    'Lamp;lamp/1;Unbekannt;;',
  ])
  const whole = await linesOf(exportFile({ search_items: 'lamp' }))
  expect(whole[0]).toContain('Connector type,Driver,Device template,Operational status')
  expect(whole).toHaveLength(2)
  const { db } = app.ctx
  await db.updateTable('accounts').set({ csv_export_limit: 2 }).where('id', '=', city.id).execute()
  expect(await linesOf(exportFile({ columns: ['title'] }))).toEqual([
    ...['Title', 'Äther', 'Bin 2'],
    'Cut after 2 devices. Narrow the list.',
  ])
  await db.updateTable('accounts').set({ csv_export_limit: null }).where('id', '=', city.id).execute()
})

test('a map: extent, clusters by zoom, what is in one of them', async () => {
  const owner = await createAccount(app, { name: 'Map' })
  const { api } = await createUser(app, owner, [{ roleId: await roleNamed(app, 'Device manager') }])
  const { geoClusterCheck, geoMetaInfos, geoClusters, geoClusterBreakOpen, create } = api.virtualdevice
  const connectorId = await newConnector(owner, 'Map network')
  expect(await geoMetaInfos({})).toEqual({ total: 0, placed: 0, bounds: null })
  const add = async (
    title: string,
    place: { latitude: number; longitude: number } | null,
    health: number,
  ) => {
    const device = await create({ title, externalId: title, connectorId, tags: [title[0] ?? ''], ...place })
    await app.ctx.db.updateTable('device_live').set({ health }).where('twin_id', '=', device.id).execute()
    return device.id
  }
  await add('A 1', { latitude: 52.5, longitude: 13.4 }, 0)
  const broken = await add('A 2', { latitude: 52.6, longitude: 13.5 }, 2)
  await add('B 1', { latitude: 52.52, longitude: 13.42 }, 4)
  const south = await add('B 2', { latitude: -33.9, longitude: 18.4 }, 1)
  await add('nowhere', null, 3)
  expect(await geoClusterCheck({})).toEqual({ total: 5, placed: 4, needsClusters: false })
  const bounds = { west: 13.4, south: -33.9, east: 18.4, north: 52.6 }
  expect(await geoMetaInfos({})).toEqual({ total: 5, placed: 4, bounds })
  const { items, more } = await geoClusters({ zoom: 3 })
  expect(more).toBe(false)
  const [many, one] = items
  expect(many).toMatchObject({ count: 3, health: 2, device: null })
  expect(many?.latitude).toBeCloseTo(52.54)
  expect(one).toMatchObject({ count: 1, health: 1, device: { id: south, title: 'B 2', latitude: -33.9 } })
  expect((await geoClusters({ zoom: 3, tags: ['B'] })).items.map(({ count }) => count)).toEqual([1, 1])
  expect((await geoClusters({ zoom: 16 })).items).toHaveLength(4)
  const view = { west: 13.45, south: 52.55, east: 14, north: 53 }
  const seen = (await geoClusters({ zoom: 3, ...view })).items
  expect(seen.map(({ device }) => device?.id)).toEqual([broken])
  const id = many?.id ?? ''
  const inside = await geoClusterBreakOpen({ id, limit: 2 })
  expect(inside).toMatchObject({
    total: 3,
    items: [{ title: 'A 1' }, { title: 'A 2', health: 2 }],
    bounds: { west: 13.4, south: 52.5, east: 13.5, north: 52.6 },
  })
  expect((await geoClusterBreakOpen({ id, tags: ['B'] })).items.map(({ title }) => title)).toEqual(['B 1'])
  expect((await geoClusterBreakOpen({ id: '3_50_0_0' })).total).toBe(0)
  expect((await geoClusterBreakOpen({ id: '99_50_0_0' })).total).toBe(0)
  expect((await city.api.virtualdevice.geoClusterBreakOpen({ id })).total, 'of others').toBe(0)
  await expect(geoClusters({ zoom: 3, west: 20, east: 10 })).rejects.toMatchObject({
    code: 'PARAMETER_VALIDATION_ERROR',
  })
})

/** Lines of the file, without the byte order mark. */
async function linesOf(answer: Promise<{ body?: unknown }>): Promise<string[]> {
  const { body } = await answer
  if (!(body instanceof Blob)) throw new Error('no file came')
  return (await body.text()).replace('\uFEFF', '').trimEnd().split('\r\n')
}

test('statistics, tags and zones', async () => {
  expect(await city.api.virtualdevice.statistics({})).toEqual({
    total: 4,
    neverSeen: 2,
    byHealth: [
      { health: 0, count: 1 },
      { health: 2, count: 1 },
      { health: 3, count: 2 },
    ],
    byConnector: [
      { connectorId: city.connectorId, name: 'City network', count: 3 },
      { connectorId: otherConnector, name: 'Second network', count: 1 },
    ],
  })
  expect(await city.api.virtualdevice.tagsZones()).toEqual({ tags: ['a', 'bin'], zones: ['west'] })
})

test('growth: devices by connector and account at the ends of even steps', async () => {
  const town = await createAccount(app, { name: 'Town' })
  const quarter = await createAccount(app, { name: 'Quarter', parent: town })
  const { api } = await createUser(app, town, [{ roleId: await roleNamed(app, 'Device manager') }])
  const [first, second] = [await newConnector(town, 'First'), await newConnector(quarter, 'Second')]
  const add = async (externalId: string, connectorId: number, created: string) => {
    const { id } = await api.virtualdevice.create({ title: externalId, externalId, connectorId })
    await app.ctx.db.updateTable('twins').set({ created_at: created }).where('id', '=', id).execute()
  }
  await add('long ago', first, '2026-01-01T00:00:00Z')
  await add('at the start', second, '2026-06-01T00:00:00Z')
  await add('on the third day', first, '2026-06-03T23:59:59Z')
  await add('at the end', second, '2026-06-05T00:00:00Z')
  const period = { start: '2026-06-01T00:00:00.000Z', end: '2026-06-05T00:00:00.000Z', steps: 4 }
  const { growth, total } = await api.virtualdevice.statistics({ period })
  expect(total).toBe(4)
  expect(growth).toEqual({
    times: [
      '2026-06-01T00:00:00.000Z',
      '2026-06-02T00:00:00.000Z',
      '2026-06-03T00:00:00.000Z',
      '2026-06-04T00:00:00.000Z',
      '2026-06-05T00:00:00.000Z',
    ],
    total: [2, 2, 2, 3, 4],
    byConnector: [
      { connectorId: first, name: 'First', counts: [1, 1, 1, 2, 2] },
      { connectorId: second, name: 'Second', counts: [1, 1, 1, 1, 2] },
    ],
    byAccount: [
      { accountId: town.id, name: 'Town', counts: [1, 1, 1, 2, 2] },
      { accountId: quarter.id, name: 'Quarter', counts: [1, 1, 1, 1, 2] },
    ],
  })
  const { accountStatistics } = api.virtualdevice
  const alone = await accountStatistics({ id: quarter.id, start: period.start, end: period.end, steps: 1 })
  expect(alone).toMatchObject({ total: 2, growth: { total: [1, 2] } })
  expect(alone.growth?.byAccount).toHaveLength(1)
  await expect(accountStatistics({ id: city.id })).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' })
  await expect(
    api.virtualdevice.statistics({ period: { ...period, end: period.start } }),
  ).rejects.toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
})

async function newConnector(
  owner: { id: number; scopeId: number },
  name: string,
  kind = 'mqtt-in',
): Promise<number> {
  const { id } = await app.ctx.db
    .insertInto('connectors')
    .values({ account_id: owner.id, scope_id: owner.scopeId, name, kind, settings: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const titles = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title)

test('where a device lies is the same wherever it is counted, however it gets there', async () => {
  const { db } = app.ctx
  const astray = async () => {
    const { rows } = await sql<{ id: number; what: string }>`
      select t.id, 'device' as what from twins t join virtual_devices d on d.twin_id = t.id
        where (d.account_id, d.scope_id, d.created_at) is distinct from (t.account_id, t.scope_id, t.created_at)
      union all
      select t.id, 'live' from twins t join device_live l on l.twin_id = t.id
        where (l.account_id, l.scope_id, l.latitude, l.longitude)
          is distinct from (t.account_id, t.scope_id, t.latitude, t.longitude)
      union all
      select t.id, 'state' from twins t join states s on s.twin_id = t.id
        where (s.scope_id, s.of_device) is distinct from (t.scope_id, t.category = 'virtualDevice')`.execute(
      db,
    )
    return rows
  }
  const { id: house } = await city.api.digitaltwin.create({ title: 'House', accountId: city.id })
  const { id: meter } = await city.api.virtualdevice.create({
    connectorId: city.connectorId,
    title: 'Meter',
    externalId: 'meter-1',
    parentId: house,
    latitude: 50,
    longitude: 8,
  })
  for (const twinId of [house, meter])
    await db
      .insertInto('states')
      .values({ twin_id: twinId, key: 'level', title: 'Level', source: 'manual' })
      .execute()
  expect(await astray()).toEqual([])
  const own = await db
    .insertInto('scopes')
    .values({ account_id: city.id, parent_id: city.scopeId, twin_id: house, name: 'House' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.updateTable('twins').set({ scope_id: own.id }).where('id', 'in', [house, meter]).execute()
  expect(await astray()).toEqual([])
  app.app.people.forgetRights()
  const { version } = await city.api.virtualdevice.get({ id: meter })
  const left = { title: 'Meter', externalId: 'meter-1', parentId: null, latitude: null, longitude: null }
  await city.api.virtualdevice.update({ id: meter, version, ...left })
  expect(await astray()).toEqual([])
  expect((await city.api.virtualdevice.get({ id: meter })).scopeId).toBe(city.scopeId)
})
