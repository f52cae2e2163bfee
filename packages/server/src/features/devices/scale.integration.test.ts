import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { type Api, createAccount, createUser, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'

/**
 * 100 000 devices and 20 000 twins in 20 accounts. The tests do not measure time: `TIMES=1` prints durations,
 * and query plans show whether everything is read or sorted for one page, which must not happen.
 */
const devicesTotal = 100_000
const accountsTotal = 20

let app: TestApp
let one: { id: number; scopeId: number; api: Api }

beforeAll(async () => {
  app = await startApp()
  for (let n = 1; n < accountsTotal; n++) await createAccount(app, { name: `City ${n}` })
  const account = await createAccount(app, { name: 'City' })
  one = {
    ...account,
    api: (await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])).api,
  }
  await seed()
}, 180_000)

async function seed() {
  const { db } = app.ctx
  await db.transaction().execute(async (tx) => {
    await sql`insert into connectors (account_id, scope_id, name, kind, settings)
      select account_id, id, 'Network', 'mqtt', '{}' from scopes where parent_id is not null`.execute(tx)
    await sql`insert into twins (category, account_id, scope_id, title, type)
      select 'digitalTwin', account_id, id, 'District', 'zone' from scopes where parent_id is not null`.execute(
      tx,
    )
    await sql`insert into twins (category, account_id, scope_id, parent_id, title, type, tags)
      select 'digitalTwin', account_id, scope_id, id, 'Room ' || n, 'room', array['floor ' || n % 9]
      from twins, generate_series(1, ${20_000 / accountsTotal}) as n where type = 'zone'`.execute(tx)
    await sql`insert into twins (category, account_id, scope_id, parent_id, title, type, tags, zones, key_values,
        latitude, longitude)
      select 'virtualDevice', account_id, scope_id, id, (array['Bin', 'Lamp', 'Meter', 'Sensor'])[1 + n % 4] || ' ' || n,
        'sensor', array['tag ' || n % 20], array['zone ' || n % 10], jsonb_build_object('serial', n::text),
        47 + (n % 100) * 0.08, 6 + id % 50 * 0.1 + (n / 100) * 0.09
      from twins, generate_series(1, ${devicesTotal / accountsTotal}) as n where type = 'zone'`.execute(tx)
    await sql`insert into virtual_devices (twin_id, connector_id, external_id, driver_id, operational_status, groups)
      select t.id, c.id, '0011AABB' || lpad(upper(to_hex(t.id)), 8, '0'), (select min(id) from drivers), t.id % 6,
        array['group ' || t.id % 50]
      from twins t join connectors c on c.account_id = t.account_id where t.category = 'virtualDevice'`.execute(
      tx,
    )
    await sql`insert into device_live (twin_id, last_seen, health)
      select twin_id, case when twin_id % 10 > 0 then now() - twin_id * interval '7 seconds' end, twin_id % 4
      from virtual_devices`.execute(tx)
    await sql`insert into states (twin_id, key, title, source) select id, key, key, 'connector'
      from twins, unnest(array['temperature', 'humidity']) as key where category = 'virtualDevice'`.execute(
      tx,
    )
  })
  await sql`vacuum analyze`.execute(db)
}

async function told<T>(what: string, call: () => Promise<T>): Promise<T> {
  const times: number[] = []
  let answer = await call()
  for (let n = 0; n < (process.env.TIMES ? 5 : 0); n++) {
    const start = performance.now()
    answer = await call()
    times.push(performance.now() - start)
  }
  if (times.length > 0) console.log(`${Math.round(Math.min(...times))} ms  ${what}`)
  return answer
}

test.each([
  ['first page', {}, devicesTotal],
  ['last page', { offset: 99_980 }, devicesTotal],
  ['page of 1 000', { limit: 1000 }, devicesTotal],
  ['title descending', { order_by: '-title' }, devicesTotal],
  ['last seen', { order_by: '-lastSeen' }, devicesTotal],
  ['health', { order_by: 'health' }, devicesTotal],
  ['external id', { order_by: 'externalId' }, devicesTotal],
  ['updated', { order_by: '-updatedAt' }, devicesTotal],
  ['search', { search_items: 'meter 12' }, 20 * 27],
  ['search exact', { search_items: '"meter 1202"' }, 20],
  ['search EUI', { search_items: '00-11-aa-bb-00-00-5' }, -1],
  ['search EUI of half of them', { search_items: '00-11-aa-bb-00-01' }, -1],
  ['search what many titles have', { search_items: 'meter' }, devicesTotal / 4],
  ['search what all EUIs have', { search_items: '00-11-aa-bb' }, devicesTotal],
  ['search what many have, last page', { search_items: 'meter', offset: 24_980 }, devicesTotal / 4],
  ['search one letter', { search_items: 'e' }, -1],
  ['search nothing', { search_items: 'nothing of the kind' }, 0],
  ['tag', { tags: ['tag 3'] }, devicesTotal / 20],
  ['zone', { zones: ['zone 3'] }, devicesTotal / 10],
  ['group', { groups: ['group 7'] }, devicesTotal / 50],
  ['groups, seen last first', { groups: ['group 7', 'group 8'], order_by: '-lastSeen' }, devicesTotal / 25],
  ['kind of connector', { bridge_types: ['mqtt'] }, devicesTotal],
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
  const found = await told(`devices: ${name}`, () => app.api.virtualdevice.list(filter as never))
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
  const list = await told('devices: one account', () => one.api.virtualdevice.list({}))
  expect(list.total).toBe(devicesTotal / accountsTotal)
  expect(list.items[0]?.title).toBe('Bin 4')
  const search = await told('devices: one account, search', () =>
    one.api.virtualdevice.list({ search_items: 'lamp' }),
  )
  expect(search.total).toBe(devicesTotal / accountsTotal / 4)
  const statistics = await told('devices: statistics', () => app.api.virtualdevice.statistics({}))
  expect(statistics).toMatchObject({ total: devicesTotal, neverSeen: devicesTotal / 10 })
  const end = new Date(Date.now() + 60_000).toISOString()
  const period = { start: '2026-01-01T00:00:00.000Z', end, steps: 100 }
  const grown = await told('devices: growth', () => app.api.virtualdevice.statistics({ period }))
  expect(grown.growth?.total.at(-1)).toBe(devicesTotal)
  expect(grown.growth?.byAccount).toHaveLength(accountsTotal)
  const groups = await told('devices: groups', () => app.api.virtualdevice.groups({}))
  expect(groups.items.reduce((sum, { count }) => sum + count, 0)).toBe(devicesTotal)
  const names = await told('devices: tags and zones', () => app.api.virtualdevice.tagsZones())
  expect([names.tags.length, names.zones.length]).toEqual([20, 10])
})

test('devices on a map', async () => {
  const { geoMetaInfos, geoClusters, geoClusterCheck, geoClusterBreakOpen } = app.api.virtualdevice
  const extent = await told('map: extent', () => geoMetaInfos({}))
  expect(extent.placed).toBe(devicesTotal)
  expect(await geoClusterCheck({})).toMatchObject({ needsClusters: true })
  const sumOf = (items: readonly { count: number }[]) => items.reduce((sum, { count }) => sum + count, 0)
  const all = await told('map: everything', () => geoClusters({ zoom: 5 }))
  expect(all.items.length).toBeLessThan(300)
  expect(sumOf(all.items)).toBe(devicesTotal)
  const city = { west: 8, south: 50, east: 9, north: 51 }
  const part = await told('map: one part', () => geoClusters({ zoom: 9, ...city }))
  expect(sumOf(part.items)).toBeLessThan(devicesTotal / 10)
  const filtered = await told('map: with a filter', () =>
    geoClusters({ zoom: 5, health: [2], tags: ['tag 2'] }),
  )
  expect(sumOf(filtered.items)).toBeGreaterThan(0)
  const first = all.items[0]
  const inside = await told('map: in a cluster', () => geoClusterBreakOpen({ id: first?.id ?? '' }))
  expect(inside.total).toBe(first?.count)
})

test('twins and states', async () => {
  const twins = await told('twins: first page', () => app.api.digitaltwin.list({}))
  expect(twins.total).toBe(20_000 + accountsTotal)
  const tops = await told('twins: top of the tree', () => app.api.digitaltwin.children({ id: 0 }))
  expect(tops.total).toBe(accountsTotal)
  const children = await told('twins: children', () =>
    app.api.digitaltwin.children({ id: tops.items[0]?.id ?? 0 }),
  )
  expect(children.items.slice(0, 3).map(({ title }) => title)).toEqual(['Room 1', 'Room 2', 'Room 3'])
  const part = await told('twins: search in the tree', () =>
    app.api.digitaltwin.partialTree({ search: 'room 77' }),
  )
  expect(part.hitIds.length).toBe(20 * 11)
  const states = await told('states: first page', () => app.api.state.search({}))
  expect(states.total).toBe(2 * devicesTotal)
  const found = await told('states: search', () => app.api.state.search({ search: 'meter 120' }))
  expect(found.total).toBe(20 * 2 * 2)
  const half = await told('states: search what many have', () => app.api.state.search({ search: 'Temp' }))
  expect(half.total).toBe(devicesTotal)
  expect(half.items[0]?.key).toBe('temperature')
})
