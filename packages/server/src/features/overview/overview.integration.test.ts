import type { StateFilter } from '@leitstand/contract/overview'
import type { RoleRule } from '@leitstand/contract/permissions'
import { sql } from 'kysely'
import { readSheet } from 'read-excel-file/node'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp
let city: { id: number; scopeId: number }
let other: { id: number; scopeId: number }
let api: Api
let connectorId: number
let driverId: number
const ids: Record<string, number> = {}

const is = (attribute: string, operator: string, value?: unknown) =>
  ({ attribute, operator, ...(value === undefined ? {} : { value }) }) as StateFilter

beforeAll(async () => {
  app = await startApp({ clock })
  city = await createAccount(app, { name: 'City' })
  other = await createAccount(app, { name: 'Other' })
  api = (await createUser(app, city, [{ roleId: await roleNamed(app, 'Operator') }])).api
  const { db } = app.ctx
  const connector = await db
    .insertInto('connectors')
    .values({ account_id: city.id, scope_id: city.scopeId, name: 'In', kind: 'webhook-in', settings: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow()
  connectorId = connector.id
  const driver = await db.selectFrom('drivers').select('id').orderBy('id').limit(1).executeTakeFirstOrThrow()
  driverId = driver.id

  const school = await createTwin(app, city, {
    title: 'Bürgerschule',
    tags: ['school'],
    latitude: 49,
    longitude: 12,
  })
  await db
    .updateTable('twins')
    .set({ key_values: JSON.stringify({ Room: '12 b' }) })
    .where('id', '=', school.id)
    .execute()
  ids.co2 = await createState(app, school.id, 'co2', { title: 'CO₂', unit: 'ppm' })
  ids.volume = await createState(app, school.id, 'volume', { title: 'Volumen', unit: 'm³' })
  ids.text = await createState(app, school.id, 'note', { title: 'Note', valueType: 'text', source: 'system' })

  const meter = await createTwin(app, city, { title: 'Meter 10', category: 'virtualDevice' })
  await db
    .insertInto('virtual_devices')
    .values({
      twin_id: meter.id,
      connector_id: connectorId,
      external_id: '70B3D57ED0001234',
      driver_id: driverId,
      groups: ['Heating'],
    })
    .execute()
  ids.heat = await createState(app, meter.id, 'heat', { title: 'Heat', unit: 'kWh', source: 'connector' })
  await db.updateTable('states').set({ variable: 'energy' }).where('id', '=', ids.heat).execute()
  const foreign = await createTwin(app, other, { title: 'Foreign school', tags: ['school'] })
  ids.foreign = await createState(app, foreign.id, 'co2', { title: 'CO₂', unit: 'ppm' })
  await writeValues(app, [
    { stateId: ids.co2, value: 900, time: '2026-06-15T11:00:00.000Z' },
    { stateId: ids.heat, value: 12.5, time: '2026-06-10T12:00:00.000Z' },
    { stateId: ids.foreign, value: 400, time: '2026-06-15T11:00:00.000Z' },
  ])
})

const nameOf = (id: number) => Object.entries(ids).find(([, each]) => each === id)?.[0]

async function found(input: Parameters<Api['stateOverview']['fetch']>[0], by = api) {
  const { items } = await by.stateOverview.fetch(input)
  return items.map(({ id }) => nameOf(id))
}

test('shows the states of twins and devices with their values', async () => {
  const page = await api.stateOverview.fetch({})
  expect(page).toMatchObject({ total: 4, more: false, offset: 0, limit: 20 })
  expect(page.items.map(({ id }) => nameOf(id))).toEqual(['co2', 'volume', 'text', 'heat'])
  expect(page.items[0]).toMatchObject({
    twinTitle: 'Bürgerschule',
    category: 'digitalTwin',
    accountName: 'City',
    value: 900,
    time: '2026-06-15T11:00:00.000Z',
    tags: ['school'],
    keyValues: { Room: '12 b' },
    latitude: 49,
    groups: [],
    driverId: null,
    configId: null,
  })
  expect(page.items[3]).toMatchObject({
    category: 'virtualDevice',
    configId: connectorId,
    sourceIdentifier: '70B3D57ED0001234',
    parserVariable: 'energy',
    groups: ['Heating'],
    driverId,
  })
})

test.each([
  ['twin', ['co2', 'volume', 'text', 'heat']],
  ['-twin', ['heat', 'text', 'volume', 'co2']],
  ['title', ['co2', 'heat', 'text', 'volume']],
  ['-value', ['co2', 'heat', 'text', 'volume']],
  ['value', ['heat', 'co2', 'volume', 'text']],
  ['-time', ['co2', 'heat', 'text', 'volume']],
  ['id', ['co2', 'volume', 'text', 'heat']],
] as const)('sorted by %s, page by page', async (orderBy, expected) => {
  expect(await found({ orderBy })).toEqual(expected)
  const pages = [...(await found({ orderBy, limit: 3 })), ...(await found({ orderBy, limit: 3, offset: 3 }))]
  expect(pages).toEqual(expected)
})

test.each([
  ['CO2', ['co2']],
  ['co₂', ['co2']],
  ['buerger vol', ['volume']],
  ['"Heat"', ['heat']],
  ['100%', []],
])('the search for %s', async (search, expected) => {
  expect(await found({ search })).toEqual(expected)
})

describe('a filter by', () => {
  test.each([
    ['accountId', 'equals', () => city.id, ['co2', 'volume', 'text', 'heat']],
    ['accountId', 'equals', () => other.id, []],
    ['accountId', 'notEquals', () => city.id, []],
    ['configId', 'equals', () => connectorId, ['heat']],
    ['configId', 'isNull', undefined, ['co2', 'volume', 'text']],
    ['configId', 'notEquals', () => connectorId, ['co2', 'volume', 'text']],
    ['stateId', 'equals', () => [ids.co2, ids.heat, ids.foreign], ['co2', 'heat']],
    ['dtwinTitle', 'contains', () => 'burger', ['co2', 'volume', 'text']],
    ['dtwinTitle', 'equals', () => 'meter 10', ['heat']],
    ['dtwinTitle', 'equals', () => 'meter', []],
    ['dtwinTitle', 'notContains', () => 'schule', ['heat']],
    ['unit', 'equals', () => 'm3', ['volume']],
    ['unit', 'equals', () => ['ppm', 'kWh'], ['co2', 'heat']],
    ['unit', 'isNull', undefined, ['text']],
    ['unit', 'notEquals', () => 'ppm', ['volume', 'text', 'heat']],
    ['stateIdentifier', 'contains', () => 'CO2', ['co2']],
    ['stateIdentifier', 'equals', () => 'note', ['text']],
    ['stateType', 'equals', () => 'text', ['text']],
    ['sourceType', 'equals', () => ['system', 'connector'], ['text', 'heat']],
    ['parserVariable', 'contains', () => 'ener', ['heat']],
    ['parserVariable', 'isNotNull', undefined, ['heat']],
    ['parserVariable', 'notContains', () => 'ener', ['co2', 'volume', 'text']],
    ['sourceIdentifier', 'equals', () => '70-B3-D5-7E-D0-00-12-34', ['heat']],
    ['sourceIdentifier', 'contains', () => '70B3', ['heat']],
    ['sourceIdentifier', 'contains', () => 'Meter', []],
    ['sourceIdentifier', 'isNull', undefined, ['co2', 'volume', 'text']],
    ['timestamp', 'valueOlderThan', () => 1440, ['volume', 'text', 'heat']],
    ['timestamp', 'greaterThan', () => '2026-06-12T00:00:00.000Z', ['co2']],
    ['timestamp', 'lessThan', () => '2026-06-12T00:00:00.000Z', ['heat']],
    ['timestamp', 'isNull', undefined, ['volume', 'text']],
    ['twin_category', 'equals', () => 'virtualDevice', ['heat']],
    ['geolocation', 'isNotNull', undefined, ['co2', 'volume', 'text']],
    ['geolocation', 'isNull', undefined, ['heat']],
    ['vdevice_groups', 'contains', () => 'Heating', ['heat']],
    ['vdevice_groups', 'notContains', () => 'Heating', ['co2', 'volume', 'text']],
    ['vdevice_groups', 'isNull', undefined, ['co2', 'volume', 'text']],
    ['twin_tags', 'contains', () => ['school', 'x'], ['co2', 'volume', 'text']],
    ['twin_tags', 'isNull', undefined, ['heat']],
    ['twin_key_value', 'contains', () => 'Room=12', ['co2', 'volume', 'text']],
    ['twin_key_value', 'contains', () => 'Room=13', []],
    ['twin_key_value', 'isNull', undefined, ['heat']],
    ['device_driver_id', 'equals', () => driverId, ['heat']],
    ['device_driver_id', 'isNull', undefined, ['co2', 'volume', 'text']],
  ])('%s %s', async (attribute, operator, value, expected) => {
    const filter = is(attribute, operator, typeof value === 'function' ? value() : undefined)
    expect(await found({ filter })).toEqual(expected)
  })

  test('nested groups', async () => {
    const filter = {
      or: [
        { and: [is('dtwinTitle', 'contains', 'schule'), is('unit', 'equals', 'ppm')] },
        { and: [is('twin_category', 'equals', 'virtualDevice'), { or: [is('unit', 'equals', 'kWh')] }] },
      ],
    }
    expect(await found({ filter })).toEqual(['co2', 'heat'])
    expect(await found({ filter, search: 'heat', orderBy: '-time' })).toEqual(['heat'])
  })

  test('texts that mean something to the database are only texts', async () => {
    for (const value of ['%', '_', '\\', "'", '.*', '-'])
      for (const attribute of ['dtwinTitle', 'unit', 'sourceIdentifier', 'stateIdentifier'])
        expect(await found({ filter: is(attribute, 'contains', value) }), `${attribute} ${value}`).toEqual([])
  })
})

test('PARAMETER_VALIDATION_ERROR: operators and values that do not suit, too deep, too many', async () => {
  const deep = (depth: number): StateFilter =>
    depth === 0 ? is('unit', 'equals', 'ppm') : { and: [deep(depth - 1)] }
  const many = (count: number) => ({
    or: Array.from({ length: count }, () => is('stateId', 'equals', ids.foreign)),
  })
  expect(await found({ filter: deep(4) })).toEqual(['co2'])
  expect(await found({ filter: many(50) })).toEqual([])
  const wrong = [
    is('unit', 'greaterThan', 'ppm'),
    is('accountId', 'equals', 'x'),
    is('accountId', 'equals'),
    is('timestamp', 'valueOlderThan', '2026-06-12T00:00:00.000Z'),
    is('timestamp', 'greaterThan', 'yesterday'),
    is('geolocation', 'equals', 'here'),
    is('stateType', 'equals', 'colour'),
    is('unit', 'isNull', 'ppm'),
    is('colour', 'equals', 'red'),
    { and: [] },
    { and: [is('unit', 'isNull')], or: [is('unit', 'isNull')] } as unknown as StateFilter,
    deep(5),
    many(51),
    is(
      'unit',
      'equals',
      Array.from({ length: 51 }, (_, n) => `u${n}`),
    ),
  ]
  for (const filter of wrong)
    await expect(api.stateOverview.fetch({ filter }), JSON.stringify(filter)).rejects.toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
  await expect(api.stateOverview.fetch({ offset: 10_001 })).rejects.toMatchObject({
    code: 'PARAMETER_VALIDATION_ERROR',
  })
})

describe('rights', () => {
  const withRules = async (...rules: RoleRule[]) => {
    const roleId = await createRole(app, rules)
    return (await createUser(app, city, [{ roleId }])).api
  }

  test('reading states needs the twins in lists, too, and devices a right of their own', async () => {
    const both = await withRules(
      { subject: 'DigitalTwinStates', actions: ['read'] },
      { subject: 'DigitalTwin', actions: ['list'] },
    )
    expect(await found({}, both)).toEqual(['co2', 'volume', 'text'])
    expect(await found({ filter: is('device_driver_id', 'isNotNull') }, both)).toEqual([])
    const twins = await withRules({ subject: 'DigitalTwin', actions: ['read'] })
    expect(await found({}, twins)).toEqual(['co2', 'volume', 'text'])
  })

  test.each([
    [[{ subject: 'DigitalTwinStates', actions: ['read'] }]],
    [[{ subject: 'DigitalTwin', actions: ['list'] }]],
    [[{ subject: 'VirtualDevice', actions: ['read'] }]],
  ] as const)('NO_PERMISSION with only %j', async (rules) => {
    const only = await withRules(...rules.map((rule) => ({ ...rule, actions: [...rule.actions] })))
    await expect(only.stateOverview.fetch({})).rejects.toMatchObject({ code: 'NO_PERMISSION' })
    await expect(only.stateOverview.exportFile({})).rejects.toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('the pair counts where both are granted', async () => {
    const states = await createRole(app, [{ subject: 'DigitalTwinStates', actions: ['read'] }])
    const lists = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
    const user = await createUser(app, city, [
      { roleId: states, scopeId: city.scopeId },
      { roleId: lists, scopeId: other.scopeId },
    ])
    expect(await user.api.stateOverview.fetch({})).toMatchObject({ items: [], total: 0, more: false })
  })
})

test('the CSV file has the rows of the list, and no formulas', async () => {
  const { body } = await api.stateOverview.exportFile({
    columns: ['title', 'value', 'unit', 'twin'],
    language: 'de',
    filter: is('unit', 'isNotNull'),
    orderBy: 'title',
  })
  expect(await (body as Blob).text()).toBe(
    'Datenpunkt;Wert;Einheit;Zwilling oder Gerät\r\nCO₂;900;ppm;Bürgerschule\r\nHeat;12.5;kWh;Meter 10\r\nVolumen;;m³;Bürgerschule\r\n',
  )
  const all = await api.stateOverview.exportFile({})
  expect(all.headers).not.toHaveProperty('x-rows-left-out')
  expect((await (all.body as Blob).text()).trim().split('\r\n')).toHaveLength(5)
})

test('the XLSX file has the same rows, with numbers and times that can be computed with', async () => {
  const { body, headers } = await api.stateOverview.exportFile({
    format: 'xlsx',
    columns: ['title', 'value', 'time', 'twin'],
    language: 'en',
    filter: is('unit', 'isNotNull'),
    orderBy: 'title',
  })
  expect(headers['content-disposition']).toBe('attachment; filename="states-2026-06-15.xlsx"')
  expect(await readSheet(Buffer.from(await (body as Blob).arrayBuffer()))).toEqual([
    ['State', 'Value', 'Time (UTC)', 'Twin or device'],
    ['CO₂', 900, new Date('2026-06-15T11:00:00Z'), 'Bürgerschule'],
    ['Heat', 12.5, new Date('2026-06-10T12:00:00Z'), 'Meter 10'],
    ['Volumen', null, null, 'Bürgerschule'],
  ])
})

test("the account's limit of exported rows counts for files, which say that they are cut", async () => {
  await app.ctx.db.updateTable('accounts').set({ csv_export_limit: 2 }).where('id', '=', city.id).execute()
  const asked = { columns: ['id' as const], orderBy: 'id' as const }
  const csv = await api.stateOverview.exportFile(asked)
  const lines = (await (csv.body as Blob).text()).trim().split('\r\n')
  const xlsx = await api.stateOverview.exportFile({ ...asked, format: 'xlsx' })
  const rows = await readSheet(Buffer.from(await (xlsx.body as Blob).arrayBuffer()))
  const cut = 'Cut after 2 states. Narrow the list.'
  expect(lines.slice(1)).toEqual([String(ids.co2), String(ids.volume), cut])
  expect(rows.slice(1).flat()).toEqual([ids.co2, ids.volume, cut])
  const jsonl = await api.stateOverview.exportFile({ ...asked, format: 'jsonl' })
  expect(await (jsonl.body as Blob).text()).toBe(`{"id":${ids.co2}}\n{"id":${ids.volume}}\n`)
  expect([csv, xlsx, jsonl].map(({ headers }) => headers['x-rows-left-out'])).toEqual([
    'true',
    'true',
    'true',
  ])
  await app.ctx.db.updateTable('accounts').set({ csv_export_limit: null }).where('id', '=', city.id).execute()
})

test('of more than 10 000 states so many are counted, and sorted like few', async () => {
  const large = await createAccount(app, { name: 'Large' })
  const many = (await createUser(app, large, [{ roleId: await roleNamed(app, 'Viewer') }])).api
  await sql`with t as (
      insert into twins (category, account_id, scope_id, title)
      select 'digitalTwin', ${large.id}, ${large.scopeId}, 'Twin ' || n from generate_series(1, 101) as n returning id),
    s as (
      insert into states (twin_id, key, title, source)
      select t.id, 'key_' || n, 'State ' || n, 'none' from t, generate_series(1, 100) as n returning id)
    insert into state_current (state_id, time, num)
    select id, timestamptz '2026-06-01' + id * interval '1 s', id from s where id % 2 = 0`.execute(app.ctx.db)
  const page = await many.stateOverview.fetch({ limit: 2 })
  expect(page).toMatchObject({ total: 10_000, more: true })
  expect(page.items.map(({ twinTitle, title }) => [twinTitle, title])).toEqual([
    ['Twin 1', 'State 1'],
    ['Twin 1', 'State 2'],
  ])
  const last = await many.stateOverview.fetch({ orderBy: '-twin', limit: 1 })
  expect(last.items).toMatchObject([{ twinTitle: 'Twin 101', title: 'State 100' }])
  const newest = await many.stateOverview.fetch({ orderBy: '-time', limit: 2 })
  const largest = await many.stateOverview.fetch({ orderBy: '-value', limit: 2, search: 'state' })
  expect(newest.items).toEqual(largest.items)
  // Beyond the candidates and beyond the states with a value, everything is sorted.
  for (const offset of [1_500, 2_500, 5_049, 9_990]) {
    const { items } = await many.stateOverview.fetch({ orderBy: '-value', offset, limit: 10 })
    const one = await many.stateOverview.fetch({ orderBy: '-value', offset: offset + 9, limit: 1 })
    expect(items).toHaveLength(10)
    expect(one.items[0]).toEqual(items[9])
  }
  const { body } = await many.stateOverview.exportFile({ columns: ['id'] })
  expect((await (body as Blob).text()).trim().split('\r\n')).toHaveLength(10_101)
  expect(await many.stateOverview.fetch({ offset: 10_000 })).toMatchObject({ items: [], total: 10_000 })
})
