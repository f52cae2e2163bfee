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
  otherConnector = await newConnector(city, 'Second network')
  const park = await city.api.digitaltwin.create({ title: 'Park', accountId: city.id })
  const devices = [
    {
      title: 'Bin 2',
      externalId: 'A8-17-58-FF-FE-00-00-02',
      tags: ['bin', 'a'],
      zones: ['west'],
      parentId: park.id,
    },
    { title: 'bin 10', externalId: 'a81758fffe000010', tags: ['bin'], connectorId: otherConnector },
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

test.each([
  ['part of the title', { search_items: 'IN' }, ['Bin 2', 'bin 10']],
  ['exact title', { search_items: '"bin 2"' }, ['Bin 2']],
  ['part of the external id', { search_items: '58fffe' }, ['Bin 2', 'bin 10']],
  ['EUI with separators', { search_items: 'a8:17:58:ff:fe:00:00:10' }, ['bin 10']],
  ['exact EUI with separators', { search_items: '"A8-17-58-FF-FE-00-00-02"' }, ['Bin 2']],
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
  ['several at once', { search_items: 'bin', health: [0], tags: ['bin'] }, ['Bin 2']],
])('filter: %s', async (_name, filter, expected) => {
  const found = await city.api.virtualdevice.list(filter)
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
    ...{ items: [], total: 4, offset: 0, limit: 2 },
    ids: [ids.Äther, ids['Bin 2']],
  })
  expect(await list({ offset: 3, limit: 2 })).toMatchObject({
    total: 4,
    offset: 3,
    items: [{ title: 'Lamp' }],
  })
})

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

async function newConnector(owner: { id: number; scopeId: number }, name: string): Promise<number> {
  const { id } = await app.ctx.db
    .insertInto('connectors')
    .values({ account_id: owner.id, scope_id: owner.scopeId, name, kind: 'mqtt', settings: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const titles = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title)
