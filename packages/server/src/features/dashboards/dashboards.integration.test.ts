import { type Dashboard, WidgetDefinition } from '@leitstand/contract/dashboards'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import { createState, createTwin, setScope, writeValues } from '../../../test/twins.ts'

let app: TestApp
let api: Api
let account: Awaited<ReturnType<typeof createAccount>>
let other: Awaited<ReturnType<typeof createAccount>>
let building: { id: number; title: string }
let rooms: { id: number; temperature: number; door: number }[]
let foreignState: number

const end = Date.now()
const ago = (minutes: number) => new Date(end - minutes * 60_000)
const range = { dateRangeStart: ago(600).toISOString(), dateRangeEnd: new Date(end + 1).toISOString() }
const dateRange = { start: range.dateRangeStart, end: range.dateRangeEnd }

beforeAll(async () => {
  app = await startApp()
  api = app.api
  account = await createAccount(app, { name: 'City' })
  other = await createAccount(app, { name: 'Elsewhere' })
  building = await createTwin(app, account, { title: 'Town hall' })
  const floor = await createTwin(app, account, { title: 'Floor', parentId: building.id })
  rooms = []
  for (const number of [10, 2, 1]) {
    const room = await createTwin(app, account, {
      title: `Room ${number}`,
      parentId: floor.id,
      latitude: 52.5,
      longitude: 13 + number / 100,
      tags: [`tag${number}`],
    })
    const temperature = await createState(app, room.id, 'temperature', {
      unit: '°C',
      title: 'Temperature',
      decimals: 1,
    })
    const door = await createState(app, room.id, 'door', { valueType: 'boolean' })
    rooms.push({ id: room.id, temperature, door })
  }
  const foreign = await createTwin(app, other)
  foreignState = await createState(app, foreign.id, 'secret')
  const [first] = rooms as [(typeof rooms)[number]]
  await writeValues(app, [
    ...[20, 22, 24, 18].map((value, index) => ({
      stateId: first.temperature,
      value,
      time: ago(40 - index * 10),
    })),
    { stateId: first.door, value: true, time: ago(5) },
    { stateId: foreignState, value: 1, time: ago(5) },
  ])
})

const widget = (definition: object) => WidgetDefinition.parse(definition)
const firstRoom = () => rooms[0] as (typeof rooms)[number]

async function createBoard(fields: { parentDtwinId?: number; name?: string } = {}): Promise<Dashboard> {
  return api.dashboards.create({ name: 'Overview', accountId: account.id, ...fields })
}

/** Data of one draft widget on a new dashboard. */
async function dataOf(definition: object, as: Api = api, board?: Dashboard) {
  const { id } = board ?? (await createBoard())
  return as.dashboards.dataByDefinition({ id, widgetDefinition: widget(definition), dateRange })
}

describe('a dashboard', () => {
  it('is created, found, changed and deleted, and every change is noted', async () => {
    const created = await api.dashboards.create({
      name: 'Night shift 100%',
      description: 'For the night',
      accountId: account.id,
      settings: {
        defaultDateRange: { preset: '7d' },
        customParameters: [{ name: 'floor', defaultValue: '2' }],
      },
    })
    expect(created).toMatchObject({
      accountName: 'City',
      description: 'For the night',
      settings: { defaultDateRange: { preset: '7d' } },
      widgets: [],
      editable: true,
      version: 1,
    })
    const found = await api.dashboards.list({ search: 'shift 100%' })
    expect(found.items.map(({ id }) => id)).toEqual([created.id])
    expect((await api.dashboards.list({ search: 'shift 100+' })).total).toBe(0)
    expect((await api.dashboards.list({ accountIds: [other.id] })).total).toBe(0)
    await api.favorite.create({ type: 'dashboard', objectId: created.id })
    expect((await api.dashboards.list({ favorites: true })).items.map(({ id }) => id)).toEqual([created.id])

    const { settings } = created
    const changed = await api.dashboards.config({ id: created.id, version: 1, name: 'Day shift', settings })
    expect(changed).toMatchObject({ name: 'Day shift', description: '', version: 2 })
    const again = api.dashboards.config({ id: created.id, version: 1, name: 'Late', settings })
    expect(await errorOf(again)).toMatchObject({ code: 'VERSION_CONFLICT', status: 409 })

    await api.dashboards.delete({ id: created.id })
    expect(await errorOf(api.dashboards.get({ id: created.id }))).toMatchObject({
      code: 'DASHBOARD_NOT_FOUND',
    })
    const log = await api.activityLog.list({ subject: 'Dashboard', objectId: created.id })
    expect(log.items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
  })

  it('is created with widgets, or not at all if one of them shows what the caller may not see', async () => {
    const tile = (stateId: number) => widget({ type: 'value', valueOptions: { stateIds: [stateId] } })
    const { temperature } = firstRoom()
    const input = { name: 'From the states', accountId: account.id }
    const made = await api.dashboards.create({
      ...input,
      widgets: [tile(temperature), widget({ type: 'empty' })],
    })
    expect(made.widgets.map(({ order, definition }) => [order, definition.type])).toEqual([
      [0, 'value'],
      [1, 'empty'],
    ])
    const role = await createRole(app, [{ subject: 'Dashboards', actions: ['read', 'manage'] }])
    const stranger = await createUser(app, other, [{ roleId: role }])
    const refused = stranger.api.dashboards.create({
      name: 'Secret',
      accountId: other.id,
      widgets: [tile(temperature)],
    })
    expect(await errorOf(refused)).toMatchObject({ code: 'DTWIN_STATE_NOT_FOUND' })
    expect((await api.dashboards.list({ search: 'Secret' })).total).toBe(0)
  })

  it('gets a widget at a place, in one change', async () => {
    const { id } = await createBoard()
    const add = (title: string, position?: number) =>
      api.dashboards.addWidget({
        id,
        definition: widget({ type: 'empty', title }),
        ...(position === undefined ? {} : { position }),
      })
    const titles = ({ widgets }: Dashboard) => widgets.map(({ definition }) => definition.title).join('')
    await add('a')
    await add('b')
    expect(titles(await add('c', 1))).toBe('acb')
    expect(titles(await add('d', 0))).toBe('dacb')
    const last = await add('e', 200)
    expect([titles(last), last.version]).toEqual(['dacbe', 6])
    const log = await api.activityLog.list({ subject: 'Dashboard', objectId: id })
    expect(log.items).toHaveLength(6)
    const unknown = widget({ type: 'value', valueOptions: { stateIds: [999_999] } })
    const refused = api.dashboards.addWidget({ id, definition: unknown, position: 0 })
    expect(await errorOf(refused)).toMatchObject({ status: expect.any(Number) })
    expect(await api.dashboards.get({ id })).toEqual(last)
    expect((await api.activityLog.list({ subject: 'Dashboard', objectId: id })).total).toBe(log.total)
  })

  it('keeps its widgets in order', async () => {
    const { id } = await createBoard()
    for (const title of ['a', 'b', 'c']) {
      await api.dashboards.addWidget({ id, definition: widget({ type: 'empty', title }) })
    }
    const titles = ({ widgets }: Dashboard) => widgets.map(({ definition }) => definition.title).join('')
    const board = await api.dashboards.get({ id })
    expect(titles(board)).toBe('abc')
    const [a, b, c] = board.widgets.map((one) => one.id) as [number, number, number]
    expect(titles(await api.dashboards.orderWidgets({ id, order: [c, a, b] }))).toBe('cab')
    // Omitted widgets, e.g. ones just added by another user, come last.
    expect(titles(await api.dashboards.orderWidgets({ id, order: [b] }))).toBe('bca')
    expect(titles(await api.dashboards.deleteWidget({ id, widgetId: c }))).toBe('ba')
    const renamed = await api.dashboards.configWidget({
      id,
      widgetId: a,
      definition: widget({
        type: 'value',
        title: 'A',
        valueOptions: { stateIds: [firstRoom().temperature] },
      }),
    })
    expect(titles(renamed)).toBe('bA')
    expect(renamed.version).toBeGreaterThan(board.version)
    expect(await errorOf(api.dashboards.orderWidgets({ id, order: [c] }))).toMatchObject({
      code: 'WIDGET_NOT_FOUND',
    })
    expect(await errorOf(api.dashboards.deleteWidget({ id, widgetId: c }))).toMatchObject({
      code: 'WIDGET_NOT_FOUND',
    })
  })

  it('is saved whole, or not at all', async () => {
    const board = await createBoard()
    const { id, settings } = board
    const value = (title: string) =>
      widget({ type: 'value', title, valueOptions: { stateIds: [firstRoom().temperature] } })
    const empty = (title: string) => widget({ type: 'empty', title })
    const save = (version: number, widgets: { id?: number; definition: WidgetDefinition }[], name = 'Hall') =>
      api.dashboards.save({ id, version, name, settings, widgets })
    const contents = ({ widgets }: Dashboard) => widgets.map(({ definition }) => definition.title).join('')
    const first = await save(1, [
      { definition: empty('a') },
      { definition: value('b') },
      { definition: empty('c') },
    ])
    expect([contents(first), first.name, first.version]).toEqual(['abc', 'Hall', 2])
    const [a, b] = first.widgets.map((each) => each.id) as [number, number]
    expect(await api.objects.usersOfState({ id: firstRoom().temperature })).toMatchObject({
      groups: expect.arrayContaining([expect.objectContaining({ kind: 'dashboard' })]),
    })

    // New ones between those that stay, one configured, one left out.
    const second = await save(2, [
      { definition: empty('d') },
      { id: b, definition: empty('B') },
      { definition: value('e') },
      { id: a, definition: empty('a') },
    ])
    expect(contents(second)).toBe('dBea')
    expect(second.widgets.map((each) => each.id)).toEqual([expect.any(Number), b, expect.any(Number), a])
    expect(await api.dashboards.get({ id })).toEqual(second)

    // Each of these is refused, and nothing of it is stored.
    const log = await api.activityLog.list({ subject: 'Dashboard', objectId: id })
    expect(log.total).toBe(3)
    const elsewhere = await createBoard()
    const { widgets: foreign } = await api.dashboards.addWidget({
      id: elsewhere.id,
      definition: empty('foreign'),
    })
    const hidden = widget({ type: 'value', valueOptions: { stateIds: [999_999] } })
    const refusals = await Promise.all([
      errorOf(save(2, [])),
      errorOf(save(3, [{ id: foreign[0]?.id ?? 0, definition: empty('x') }])),
      errorOf(
        save(3, [
          { id: a, definition: empty('a') },
          { id: a, definition: empty('a') },
        ]),
      ),
      errorOf(save(3, [{ definition: empty('x') }, { definition: hidden }])),
      errorOf(
        save(
          3,
          Array.from({ length: 201 }, () => ({ definition: empty('x') })),
        ),
      ),
      errorOf(save(3, [], '')),
    ])
    expect(refusals.map(({ code }) => code)).toEqual([
      'VERSION_CONFLICT',
      'WIDGET_NOT_FOUND',
      'VALIDATION_ERROR',
      'DTWIN_STATE_NOT_FOUND',
      'PARAMETER_VALIDATION_ERROR',
      'PARAMETER_VALIDATION_ERROR',
    ])
    const bad = widget({ type: 'chart', chartOptions: { kind: 'gauge', min: 0, max: 1, upperThreshold: 1 } })
    expect(await errorOf(save(3, [{ definition: empty('x') }, { definition: bad }]))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { issues: [{ path: expect.arrayContaining(['widgets', 1, 'definition']) }] },
    })
    expect(await api.dashboards.get({ id })).toEqual(second)
    expect((await api.activityLog.list({ subject: 'Dashboard', objectId: id })).total).toBe(3)
  })

  it('refuses what makes no sense', async () => {
    const { id } = await createBoard()
    const add = (definition: object) =>
      errorOf(api.dashboards.addWidget({ id, definition: widget(definition) }))
    expect(
      await add({ type: 'chart', chartOptions: { kind: 'gauge', min: 0, max: 10, upperThreshold: 10 } }),
    ).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(await add({ type: 'chart', chartOptions: { stateIds: [999_999] } })).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
    expect(await add({ type: 'twin-table', twinTableOptions: { twinIds: [999_999] } })).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    const foreign = await createTwin(app, other)
    expect(await errorOf(createBoard({ parentDtwinId: foreign.id }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    })
    expect(await errorOf(api.dashboards.create({ name: 'x', accountId: 999_999 }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    const backwards = { dateRangeStart: range.dateRangeEnd, dateRangeEnd: range.dateRangeStart }
    expect(await errorOf(api.dashboards.widgetData({ id, widgetId: '__all__', ...backwards }))).toMatchObject(
      { code: 'INVALID_DATE_RANGE' },
    )
    expect(
      await errorOf(api.dashboards.widgetData({ id, widgetId: '__all__', ...range, timeZone: 'Mars' })),
    ).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    expect(await errorOf(api.dashboards.widgetData({ id, widgetId: 999_999, ...range }))).toMatchObject({
      code: 'WIDGET_NOT_FOUND',
    })
  })
})

describe('data', () => {
  it('of a chart is a series per state', async () => {
    const { temperature } = firstRoom()
    const data = await dataOf({ type: 'chart', chartOptions: { stateIds: [temperature], duration: 'raw' } })
    expect(data).toMatchObject({ widgetId: null, duration: 'raw', error: null })
    expect(data.series?.[0]).toMatchObject({
      stateId: temperature,
      title: 'Temperature',
      twinTitle: 'Room 10',
      unit: '°C',
    })
    expect(data.series?.[0]?.points.map(([, value]) => value)).toEqual([20, 22, 24, 18])
  })

  it.each([
    ['min', 18],
    ['max', 24],
    ['average', 21],
    ['sum', 84],
    ['earliest', 20],
    ['latest', 18],
  ] as const)('of a gauge with %s is %d', async (gaugeValue, expected) => {
    const chartOptions = { kind: 'gauge', stateIds: [firstRoom().temperature], gaugeValue }
    const { values } = await dataOf({ type: 'chart', chartOptions })
    expect(values).toEqual([
      expect.objectContaining({
        value: expected,
        unit: '°C',
        decimals: 1,
        category: 'digitalTwin',
        time: expect.any(String),
      }),
    ])
  })

  it('of a gauge without values in the range is empty', async () => {
    const chartOptions = { kind: 'gauge', stateIds: [rooms[1]?.temperature], gaugeValue: 'sum' }
    expect((await dataOf({ type: 'chart', chartOptions })).values).toMatchObject([
      { value: null, time: null },
    ])
  })

  it('of value tiles has the current values and small lines of the numbers', async () => {
    const { temperature, door } = firstRoom()
    const data = await dataOf({ type: 'value', valueOptions: { stateIds: [door, temperature] } })
    expect(data.values?.map(({ stateId, value }) => [stateId, value])).toEqual([
      [door, true],
      [temperature, 18],
    ])
    expect(data.series?.map(({ stateId }) => stateId)).toEqual([temperature])
    expect(data.series?.[0]?.points.length).toBeLessThanOrEqual(100)
  })

  it('of a table has a row for every twin below that has one of the states, in the order people expect', async () => {
    const options = { parentTwinId: building.id, stateKeys: ['temperature', 'door', 'nothing'] }
    const { table } = await dataOf({ type: 'twin-table', twinTableOptions: options })
    expect(table?.columns).toEqual([
      { key: 'temperature', title: 'Temperature', unit: '°C' },
      { key: 'door', title: 'door', unit: '' },
      { key: 'nothing', title: 'nothing', unit: '' },
    ])
    expect(table?.rows.map(({ title }) => title)).toEqual(['Room 1', 'Room 2', 'Room 10'])
    expect(table?.total).toBe(3)
    expect(table?.rows[2]?.cells.map((cell) => cell?.value)).toEqual([18, true, undefined])
    expect(table?.rows[0]?.cells[0]).toMatchObject({ value: null, time: null })
    const page = await dataOf({ type: 'twin-table', twinTableOptions: { ...options, limit: 1 } })
    expect(page.table).toMatchObject({ total: 3, rows: [{ title: 'Room 1' }] })
  })

  it('of a table follows names, tags and the twin of the dashboard', async () => {
    const titles = async (options: object | undefined, board?: Dashboard) => {
      const { table } = await dataOf({ type: 'twin-table', twinTableOptions: options }, api, board)
      return table?.rows.map(({ title }) => title)
    }
    expect(await titles({ tags: ['tag2', 'tag1'] })).toEqual(['Room 1', 'Room 2'])
    expect(await titles({ twinIds: [building.id] })).toEqual(['Town hall'])
    expect(await titles(undefined)).toEqual([])
    const board = await createBoard({ parentDtwinId: building.id })
    expect(await titles(undefined, board)).toEqual(['Room 1', 'Room 2', 'Room 10'])
    const { table } = await dataOf({ type: 'twin-table' }, api, board)
    expect(table?.columns.map(({ key }) => key)).toEqual(['door', 'temperature'])
  })

  it('of a map has the twins with a position and the state asked for', async () => {
    const options = { parentTwinId: building.id, stateKey: 'temperature' }
    const { map } = await dataOf({ type: 'twin-map', twinMapOptions: options })
    expect(map?.total).toBe(3)
    expect(map?.points[0]).toMatchObject({
      title: 'Room 10',
      latitude: 52.5,
      longitude: 13.1,
      state: { value: 18, unit: '°C', decimals: 1, visualization: { kind: 'value' } },
    })
  })

  it('of all widgets comes together, and one that fails says why', async () => {
    const { id } = await createBoard()
    const gone = await createState(app, building.id, 'gone')
    const { temperature } = firstRoom()
    for (const definition of [
      { type: 'chart', chartOptions: { stateIds: [temperature, gone], duration: 'raw' } },
      { type: 'value', valueOptions: { stateIds: [temperature] } },
      { type: 'empty' },
      { type: 'nested-dashboard' },
      { type: 'chart', chartOptions: { kind: 'gauge', stateIds: [temperature] } },
    ]) {
      await api.dashboards.addWidget({ id, definition: widget(definition) })
    }
    await app.ctx.db.deleteFrom('states').where('id', '=', gone).execute()
    const { widgets } = await api.dashboards.widgetData({ id, widgetId: '__all__', ...range })
    expect(widgets.map(({ error }) => error?.code ?? null)).toEqual([
      'DTWIN_STATE_NOT_FOUND',
      null,
      null,
      null,
      null,
    ])
    expect(widgets[0]?.series?.map(({ stateId }) => stateId)).toEqual([temperature])
    const one = await api.dashboards.widgetData({ id, widgetId: widgets[1]?.widgetId as number, ...range })
    expect(one.widgets).toHaveLength(1)
    expect(one.widgets[0]?.values?.[0]?.value).toBe(18)
  })
})

describe('rights', () => {
  let reader: Awaited<ReturnType<typeof createUser>>
  let stranger: Awaited<ReturnType<typeof createUser>>

  beforeAll(async () => {
    const role = await createRole(app, [
      { subject: 'Dashboards', actions: ['read'] },
      { subject: 'DigitalTwin', actions: ['read'] },
    ])
    const manager = await createRole(app, [{ subject: 'Dashboards', actions: ['read', 'manage'] }])
    reader = await createUser(app, account, [{ roleId: role }, { roleId: manager, scopeId: other.scopeId }])
    stranger = await createUser(app, other, [{ roleId: manager }])
  })

  it('a stranger sees nothing and changes nothing', async () => {
    const board = await createBoard()
    const { id } = board
    const { api: mine } = stranger
    expect((await mine.dashboards.list({ accountIds: [account.id] })).total).toBe(0)
    const definition = widget({ type: 'empty' })
    const calls: (() => Promise<unknown>)[] = [
      () => mine.dashboards.get({ id }),
      () => mine.dashboards.delete({ id }),
      () => mine.dashboards.config({ id, version: 1, name: 'x', settings: board.settings }),
      () => mine.dashboards.addWidget({ id, definition }),
      () => mine.dashboards.orderWidgets({ id, order: [] }),
      () => mine.dashboards.widgetData({ id, widgetId: '__all__', ...range }),
      () => mine.dashboards.dataByDefinition({ id, widgetDefinition: definition, dateRange }),
    ]
    for (const call of calls) expect(await errorOf(call())).toMatchObject({ code: 'DASHBOARD_NOT_FOUND' })
    const create = mine.dashboards.create({ name: 'x', accountId: account.id })
    expect(await errorOf(create)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })

  it('a draft on an own dashboard shows nothing of others', async () => {
    const own = await stranger.api.dashboards.create({ name: 'Spy', accountId: other.id })
    const spy = (definition: object) => dataOf(definition, stranger.api, own)
    const { temperature, id } = firstRoom()
    for (const definition of [
      { type: 'chart', chartOptions: { stateIds: [temperature] } },
      { type: 'chart', chartOptions: { kind: 'gauge', stateIds: [temperature] } },
      { type: 'value', valueOptions: { stateIds: [foreignState, temperature] } },
      { type: 'twin-table', twinTableOptions: { parentTwinId: building.id } },
      { type: 'twin-table', twinTableOptions: { twinIds: [id] } },
      { type: 'twin-map', twinMapOptions: { twinIds: [id] } },
    ]) {
      const { error, ...rest } = await spy(definition)
      expect(error?.code).toBe('NO_PERMISSION')
      expect(rest).toEqual({ widgetId: null })
    }
    const add = stranger.api.dashboards.addWidget({
      id: own.id,
      definition: widget({ type: 'value', valueOptions: { stateIds: [temperature] } }),
    })
    expect(await errorOf(add)).toMatchObject({ code: 'DTWIN_STATE_NOT_FOUND' })
    const tagged = await spy({ type: 'twin-table', twinTableOptions: { tags: ['tag1'] } })
    expect(tagged.table?.rows).toEqual([])
  })

  it('a reader sees but does not change', async () => {
    const { id, settings } = await createBoard()
    expect(await reader.api.dashboards.get({ id })).toMatchObject({ editable: false })
    const calls: (() => Promise<unknown>)[] = [
      () => reader.api.dashboards.delete({ id }),
      () => reader.api.dashboards.config({ id, version: 1, name: 'x', settings }),
      () => reader.api.dashboards.addWidget({ id, definition: widget({ type: 'empty' }) }),
      () => reader.api.dashboards.create({ name: 'x', accountId: account.id }),
    ]
    for (const call of calls) expect(await errorOf(call())).toMatchObject({ code: 'NO_PERMISSION' })
  })

  it('follow the twin of the dashboard, also when it gets a scope of its own or is deleted', async () => {
    const twin = await createTwin(app, account)
    const board = await createBoard({ parentDtwinId: twin.id })
    const { id: scopeId } = await app.ctx.db
      .insertInto('scopes')
      .values({ parent_id: account.scopeId, account_id: account.id, twin_id: twin.id, name: 'Own' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await setScope(app, twin.id, scopeId)
    app.app.people.forgetRights()
    const role = await createRole(app, [{ subject: 'Dashboards', actions: ['read'] }])
    const guest = await createUser(app, account, [{ roleId: role, scopeId }])
    expect((await guest.api.dashboards.list({})).items.map(({ id }) => id)).toEqual([board.id])

    await setScope(app, twin.id, account.scopeId)
    await setScope(app, twin.id, scopeId)
    await app.ctx.db.deleteFrom('twins').where('id', '=', twin.id).execute()
    expect(await api.dashboards.get({ id: board.id })).toMatchObject({ parentDtwinId: null })
    // The guest's only permission was deleted with the scope.
    expect(await errorOf(guest.api.dashboards.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

describe('live', () => {
  it('an open dashboard gets the current values of what its widgets show, and nothing else', async () => {
    const { id } = await createBoard()
    const { temperature, door } = firstRoom()
    const options = { parentTwinId: building.id, stateKeys: ['door'] }
    await api.dashboards.addWidget({
      id,
      definition: widget({ type: 'twin-table', twinTableOptions: options }),
    })
    using live = await openLive(app, app.token)
    expect(await live.follow(`dashboard:${id}`)).toMatchObject([{ kind: 'subscribed' }])
    await writeValues(app, [
      { stateId: temperature, value: 19, time: ago(4) },
      { stateId: door, value: false, time: ago(4) },
      { stateId: door, value: true, time: ago(30) },
    ])
    expect(await live.received()).toMatchObject([
      { kind: 'values', topic: `dashboard:${id}`, values: [{ stateId: door, key: 'door', value: false }] },
    ])
    using later = await openLive(app, app.token)
    expect(await later.follow(`dashboard:${id}`, ago(10).getTime())).toMatchObject([
      { kind: 'values', values: [{ stateId: door, value: false }] },
      { kind: 'subscribed' },
    ])
  })

  it('readers get only what they may see', async () => {
    const role = await createRole(app, [{ subject: 'Dashboards', actions: ['read'] }])
    const city = await createUser(app, account, [{ roleId: role }])
    const { id } = await createBoard()
    const { temperature } = firstRoom()
    const stateIds = [temperature, foreignState]
    await api.dashboards.addWidget({ id, definition: widget({ type: 'value', valueOptions: { stateIds } }) })
    using mine = await openLive(app, city.token)
    using all = await openLive(app, app.token)
    await mine.follow(`dashboard:${id}`)
    await all.follow(`dashboard:${id}`)
    await writeValues(app, [
      { stateId: temperature, value: 23, time: ago(1) },
      { stateId: foreignState, value: 42, time: ago(1) },
    ])
    const seen = (messages: Awaited<ReturnType<typeof mine.received>>) =>
      messages.flatMap((message) =>
        message.kind === 'values' ? message.values.map(({ value }) => value) : [],
      )
    expect(seen(await mine.received())).toEqual([23])
    expect(seen(await all.received()).toSorted()).toEqual([23, 42])
    const data = await city.api.dashboards.widgetData({ id, widgetId: '__all__', ...range })
    expect(data.widgets[0]).toMatchObject({ error: { code: 'NO_PERMISSION' } })
    const stranger = await createUser(app, other, [{ roleId: role }])
    using spy = await openLive(app, stranger.token)
    expect(await spy.follow(`dashboard:${id}`)).toMatchObject([{ kind: 'refused', code: 'NO_PERMISSION' }])
  })
})
