import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { accountsTotal, devicesTotal, seedCity, timed } from '../../../test/city.ts'
import { type Api, createUser, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'

/** Query plans show whether everything is read or sorted for one page, which must not happen. */
let app: TestApp
let one: { id: number; scopeId: number; api: Api }

beforeAll(async () => {
  app = await startApp()
  const account = await seedCity(app)
  one = {
    ...account,
    api: (await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])).api,
  }
}, 180_000)

test.each([
  ['first page', {}, devicesTotal],
  ['last page', { offset: 99_980 }, devicesTotal],
  ['page of 1 000', { limit: 1000 }, devicesTotal],
  ['title descending', { order_by: '-title' }, devicesTotal],
  ['last seen', { order_by: '-lastSeen' }, devicesTotal],
  ['health', { order_by: 'health' }, devicesTotal],
  ['external id', { order_by: 'externalId' }, devicesTotal],
  ['updated', { order_by: '-updatedAt' }, devicesTotal],
  ['search', { search_items: 'meter 12' }, -1],
  ['search exact', { search_items: '"meter 1202"' }, 20],
  ['search EUI', { search_items: '00-11-aa-bb-00-00-5' }, -1],
  ['search EUI of half of them', { search_items: '00-11-aa-bb-00-01' }, -1],
  ['search what many titles have', { search_items: 'meter' }, devicesTotal / 4],
  ['search what all EUIs have', { search_items: '00-11-aa-bb' }, devicesTotal],
  ['search what many have, last page', { search_items: 'meter', offset: 24_980 }, devicesTotal / 4],
  ['search one letter', { search_items: 'e' }, -1],
  ['search words of title and EUI', { search_items: '00-11-aa 500 sensor' }, -1],
  ['search words that many have', { search_items: 'bb000 meter' }, devicesTotal / 4],
  ['search nothing', { search_items: 'nothing of the kind' }, 0],
  ['tag', { tags: ['tag 3'] }, devicesTotal / 20],
  ['zone', { zones: ['zone 3'] }, devicesTotal / 10],
  ['group', { groups: ['group 7'] }, devicesTotal / 50],
  ['groups, seen last first', { groups: ['group 7', 'group 8'], order_by: '-lastSeen' }, devicesTotal / 25],
  ['kind of connector', { bridge_types: ['mqtt-in'] }, devicesTotal],
  ['kind of connector nobody has', { bridge_types: ['webhook-in'] }, 0],
  ['two texts', { search_items: ['meter', '12'] }, -1],
  ['one of two texts', { search_items: ['"meter 1202"', 'lamp 49'], search_operator: 'or' }, -1],
  ['filters as JSON', { filters: '{"tags":["tag 3"],"disabled":false}' }, devicesTotal / 20],
  [
    'with everything',
    { include_identifiers: true, include_properties: true, include_drivers: true },
    devicesTotal,
  ],
  ['some scopes', { scope_ids: [3] }, -1],
  ['health filter', { health: [2] }, devicesTotal / 4],
  ['not seen, seen last first', { last_seen_older_minutes: 600, order_by: '-lastSeen' }, -1],
  ['not seen', { last_seen_older_minutes: 600 }, -1],
  ['status', { operational_status: [3] }, -1],
  ['key', { key_value: 'serial' }, devicesTotal],
  ['key and value', { key_value: 'serial=499' }, -1],
  ['ids only', { ids_only: true, limit: 1000 }, devicesTotal],
] as const)('devices: %s', async (name, filter, total) => {
  const found = await timed(`devices: ${name}`, () => app.api.virtualdevice.list(filter as never))
  if (total >= 0) expect(found.total).toBe(total)
  else expect(found.total).toBeGreaterThan(0)
})

test.each(['lastSeen', '-lastSeen', 'health', '-externalId', 'updatedAt', '-title'] as const)(
  'devices by %s are the same rows as sorting all of them gives',
  async (orderBy) => {
    const column = sql.raw(
      {
        lastSeen: 'l.last_seen',
        health: 'l.health',
        externalId: 'd.external_id',
        updatedAt: 't.updated_at',
        title: 't.title collate natural_order',
      }[orderBy.replace('-', '')] ?? '',
    )
    const direction = sql.raw(orderBy.startsWith('-') ? 'desc' : 'asc')
    const { rows } = await sql<{
      id: number
    }>`select t.id from twins t join virtual_devices d on d.twin_id = t.id
      join device_live l on l.twin_id = t.id
      order by ${column} ${direction} nulls last, t.id ${direction}`.execute(app.ctx.db)
    const sorted = rows.map(({ id }) => id)
    for (const offset of [0, 1500, 49_990, 89_990, 99_980]) {
      const { ids } = await app.api.virtualdevice.list({
        order_by: orderBy,
        offset,
        limit: 50,
        ids_only: true,
      })
      expect(ids, `from ${offset} on`).toEqual(sorted.slice(offset, offset + 50))
    }
  },
)

test('devices of one account, statistics, tags', async () => {
  const list = await timed('devices: one account', () => one.api.virtualdevice.list({}))
  expect(list.total).toBe(devicesTotal / accountsTotal)
  expect(list.items[0]?.title).toBe('Bin 4')
  const search = await timed('devices: one account, search', () =>
    one.api.virtualdevice.list({ search_items: 'lamp' }),
  )
  expect(search.total).toBe(devicesTotal / accountsTotal / 4)
  const statistics = await timed('devices: statistics', () => app.api.virtualdevice.statistics({}))
  expect(statistics).toMatchObject({ total: devicesTotal, neverSeen: devicesTotal / 10 })
  const end = new Date(Date.now() + 60_000).toISOString()
  const period = { start: '2026-01-01T00:00:00.000Z', end, steps: 100 }
  const grown = await timed('devices: growth', () => app.api.virtualdevice.statistics({ period }))
  expect(grown.growth?.total.at(-1)).toBe(devicesTotal)
  expect(grown.growth?.byAccount).toHaveLength(accountsTotal)
  const groups = await timed('devices: groups', () => app.api.virtualdevice.groups({}))
  expect(groups.items.reduce((sum, { count }) => sum + count, 0)).toBe(devicesTotal)
  const names = await timed('devices: tags and zones', () => app.api.virtualdevice.tagsZones())
  expect([names.tags.length, names.zones.length]).toEqual([20, 10])
})

test('devices on a map', async () => {
  const { geoMetaInfos, geoClusters, geoClusterCheck, geoClusterBreakOpen } = app.api.virtualdevice
  const extent = await timed('map: extent', () => geoMetaInfos({}))
  expect(extent.placed).toBe(devicesTotal)
  expect(await geoClusterCheck({})).toMatchObject({ needsClusters: true })
  const sumOf = (items: readonly { count: number }[]) => items.reduce((sum, { count }) => sum + count, 0)
  const all = await timed('map: everything', () => geoClusters({ zoom: 5 }))
  expect(all.items.length).toBeLessThan(300)
  expect(sumOf(all.items)).toBe(devicesTotal)
  const city = { west: 8, south: 50, east: 9, north: 51 }
  const part = await timed('map: one part', () => geoClusters({ zoom: 9, ...city }))
  expect(sumOf(part.items)).toBeLessThan(devicesTotal / 10)
  const filtered = await timed('map: with a filter', () =>
    geoClusters({ zoom: 5, health: [2], tags: ['tag 2'] }),
  )
  expect(sumOf(filtered.items)).toBeGreaterThan(0)
  const first = all.items[0]
  const inside = await timed('map: in a cluster', () => geoClusterBreakOpen({ id: first?.id ?? '' }))
  expect(inside.total).toBe(first?.count)
})

test('twins and states', async () => {
  const twins = await timed('twins: first page', () => app.api.digitaltwin.list({}))
  expect(twins.total).toBe(20_000 + accountsTotal)
  const tops = await timed('twins: top of the tree', () => app.api.digitaltwin.children({ id: 0 }))
  expect(tops.total).toBe(accountsTotal)
  const children = await timed('twins: children', () =>
    app.api.digitaltwin.children({ id: tops.items[0]?.id ?? 0 }),
  )
  expect(children.items.slice(0, 3).map(({ title }) => title)).toEqual(['Room 1', 'Room 2', 'Room 3'])
  const part = await timed('twins: search in the tree', () =>
    app.api.digitaltwin.partialTree({ search: 'room 77' }),
  )
  expect(part.hitIds.length).toBe(20 * 19)
  const states = await timed('states: first page', () => app.api.state.search({}))
  expect(states.total).toBe(2 * devicesTotal)
  const found = await timed('states: search', () => app.api.state.search({ search: 'meter 120' }))
  expect(found.total).toBe(20 * 2 * 2)
  const half = await timed('states: search what many have', () => app.api.state.search({ search: 'Temp' }))
  expect(half.total).toBe(devicesTotal)
  expect(half.items[0]?.key).toBe('temperature')
  const words = await timed('states: search words of twin and state', () =>
    app.api.state.search({ search: 'temp 1202 METER' }),
  )
  expect(words.total).toBe(20)
  const common = await timed('states: search words that many have', () =>
    app.api.state.search({ search: 'temp meter' }),
  )
  expect(common.total).toBe(devicesTotal / 4)
})
