import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createApiWith,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

const clock = new FakeClock()
let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
let token: string
let twinId: number

beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app, { name: 'States' })
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
  api = user.api
  token = user.token
  twinId = (await api.digitaltwin.create({ title: 'Hall', accountId: account.id })).id
})

let serial = 0
const newKey = () => `key_${++serial}`
const newState = (changes: object = {}, dtwinId = twinId) =>
  api.state.create({ dtwinId, key: newKey(), title: 'State', source: 'none', ...changes })
const currentOf = async (id: number) => (await api.state.get({ id })).value

async function edit(id: number, changes: object) {
  const state = await api.state.get({ id })
  return api.state.update({ ...state, ...changes })
}

async function connector(owner: { id: number; scopeId: number }, name: string) {
  const { id } = await app.ctx.db
    .insertInto('connectors')
    .values({ account_id: owner.id, scope_id: owner.scopeId, name, kind: 'mqtt-in', settings: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The console in a language. */
const consoleIn = (language: 'de' | 'en') =>
  createApiWith(app.url, { authorization: `Bearer ${token}`, 'accept-language': language })

test('the title of a built-in driver is in the language of the reader until someone renames the state', async () => {
  const twin = await api.digitaltwin.create({ title: 'Languages', accountId: account.id })
  const { id } = await api.state.create({
    dtwinId: twin.id,
    key: 'temperature',
    title: 'Temperatur',
    source: 'none',
  })
  const titles = async (reader: Api) => {
    const { items } = await reader.digitaltwin.states({ id: twin.id })
    const found = await reader.state.search({ dtwinId: twin.id })
    const { series } = await reader.series.search({
      stateIds: [id],
      startDate: '2026-01-01T00:00:00.000Z',
      endDate: '2026-01-02T00:00:00.000Z',
    })
    const { title } = await reader.state.get({ id })
    return [items[0]?.title, found.items[0]?.title, series[0]?.title, title]
  }
  const english = consoleIn('en')
  expect(await titles(english)).toEqual(Array(4).fill('Temperature'))
  expect(await titles(consoleIn('de'))).toEqual(Array(4).fill('Temperatur'))
  expect(await titles(api)).toEqual(Array(4).fill('Temperatur'))
  const shown = await english.state.get({ id })
  await english.state.update({ ...shown, unit: '°C' })
  expect((await api.state.get({ id })).title).toBe('Temperatur')
  await english.state.update({ ...shown, version: shown.version + 1, title: 'Inlet' })
  expect(await titles(consoleIn('de'))).toEqual(Array(4).fill('Inlet'))
})

describe('a state', () => {
  test('is read back as it was written, last in the order of its twin', async () => {
    const twin = await api.digitaltwin.create({ title: 'Order', accountId: account.id })
    const fields = {
      title: 'Temperature',
      unit: '°C',
      icon: 'thermometer',
      source: 'none',
      valueType: 'number',
      lowerBound: -20,
      upperBound: 60,
      decimals: 1,
      visualization: { kind: 'gauge', min: 0, max: 40, lowerThreshold: 18, upperThreshold: 26 },
    } as const
    const state = await api.state.create({ dtwinId: twin.id, key: 'room.temperature', ...fields })
    expect(state).toMatchObject({
      ...fields,
      twinId: twin.id,
      key: 'room.temperature',
      value: null,
      time: null,
      version: 1,
    })
    const second = await newState({}, twin.id)
    const third = await newState({}, twin.id)
    await api.state.order({ dtwinId: twin.id, stateIds: [third.id, state.id] })
    const { items } = await api.digitaltwin.states({ id: twin.id })
    expect(items.map(({ id }) => id)).toEqual([third.id, state.id, second.id])
    expect(
      await errorOf(api.state.order({ dtwinId: twin.id, stateIds: [(await newState()).id] })),
    ).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
  })

  test('has a key that is unique in its twin and cannot be changed', async () => {
    const state = await newState({ key: 'only' })
    expect(await errorOf(newState({ key: 'only' }))).toMatchObject({
      code: 'DTWIN_STATE_DUPLICATE_KEY',
      status: 409,
    })
    expect(await errorOf(edit(state.id, { key: 'other' }))).toMatchObject({
      code: 'DTWIN_STATE_KEY_IMMUTABLE',
    })
    for (const key of ['a b', 'ä', 'a-b', '']) {
      expect(await errorOf(newState({ key }))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    }
  })

  test('created twice at once exists once', async () => {
    const results = await Promise.allSettled([newState({ key: 'twice' }), newState({ key: 'twice' })])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('keeps its version and what changed', async () => {
    const state = await newState({ title: 'Before' })
    expect(await edit(state.id, { title: 'After' })).toMatchObject({ title: 'After', version: 2 })
    expect(await errorOf(api.state.update({ ...state, title: 'Late' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    const [entry] = (await app.api.activityLog.list({ subject: 'State', objectId: state.id })).items
    expect(entry).toMatchObject({
      action: 'update',
      objectTitle: 'Hall · After',
      changes: { title: { before: 'Before', after: 'After' } },
    })
  })

  test('cannot be changed by who may only read', async () => {
    const state = await newState()
    const elsewhere = await createAccount(app)
    const writes = await createRole(app, [{ subject: 'DigitalTwin', actions: ['write'] }])
    const reader = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Viewer') },
      { roleId: writes, scopeId: elsewhere.scopeId },
    ])
    for (const call of [
      () => reader.api.state.update({ ...state, title: 'x' }),
      () => reader.api.state.delete({ id: state.id }),
      () => reader.api.state.setValue({ id: state.id, value: 1 }),
      () => reader.api.state.create({ dtwinId: twinId, key: newKey(), title: 'x', source: 'none' }),
      () => reader.api.state.order({ dtwinId: twinId, stateIds: [state.id] }),
    ]) {
      expect(await errorOf(call())).toMatchObject({ code: 'NO_PERMISSION' })
    }
  })

  test.each([
    ['bounds the wrong way round', { lowerBound: 5, upperBound: 5 }, 'upperBound'],
    ['gauge without a range', { visualization: { kind: 'gauge', min: 5, max: 5 } }, 'visualization.max'],
    [
      'threshold on the edge',
      { visualization: { kind: 'gauge', min: 0, max: 9, upperThreshold: 9 } },
      'visualization.upperThreshold',
    ],
    [
      'thresholds the wrong way round',
      { visualization: { lowerThreshold: 2, upperThreshold: 1 } },
      'visualization.upperThreshold',
    ],
    ['random without minimum', { source: 'random', sourceSettings: { max: 1 } }, 'sourceSettings.min'],
    ['random without maximum', { source: 'random', sourceSettings: { min: 1 } }, 'sourceSettings.max'],
    ['random from 2 to 1', { source: 'random', sourceSettings: { min: 2, max: 1 } }, 'sourceSettings.max'],
    ['random text', { source: 'random', valueType: 'text', sourceSettings: { min: 1, max: 2 } }, 'valueType'],
    ['aggregate of nothing', { source: 'aggregate' }, 'sourceSettings.stateIds'],
    ['connector without connector', { source: 'connector' }, 'sourceSettings.connectorId'],
    [
      'connector without identifier',
      { source: 'connector', sourceSettings: { connectorId: 1 } },
      'sourceSettings.identifier',
    ],
  ])('is refused: %s', async (_name, changes, field) => {
    expect(await errorOf(newState(changes))).toMatchObject({
      code: 'VALIDATION_ERROR',
      status: 422,
      data: { field },
    })
  })

  test('has a transformer that compiles, or says in which line it does not', async () => {
    expect(
      await errorOf(newState({ transformer: 'const a = 1\nreturn value + * 2\nreturn a' })),
    ).toMatchObject({
      code: 'SCRIPT_SYNTAX',
      data: { line: 2 },
    })
    expect(await newState({ transformer: 'return value * 2' })).toMatchObject({
      transformer: 'return value * 2',
    })
    expect(await newState({ transformer: '  ' })).toMatchObject({ transformer: null })
  })

  test('listens only to connectors one may use, under the normal form of the identifier', async () => {
    const sibling = await createAccount(app)
    const theirs = await connector(sibling, 'Theirs')
    const ours = await connector(account, 'Ours')
    const settings = (connectorId: number) => ({
      connectorId,
      identifier: 'a8-17-58-ff-fe-00-00-01',
      variable: 't',
    })
    const changes = { source: 'connector' as const, sourceSettings: settings(theirs) }
    expect(await errorOf(newState(changes))).toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
    const { id } = await newState({ ...changes, sourceSettings: settings(ours) })
    const row = await app.ctx.db
      .selectFrom('states')
      .select(['connector_id', 'identifier', 'variable'])
      .where('id', '=', id)
      .executeTakeFirst()
    expect(row).toEqual({ connector_id: ours, identifier: 'A81758FFFE000001', variable: 't' })
  })

  test('the old names of sources are understood', async () => {
    const name = 'niotix' as never
    expect(await newState({ source: name })).toMatchObject({ source: 'platform' })
  })
})

describe('values', () => {
  test.each([
    ['number', '21,5', 21.5],
    ['number', ' -3e2 ', -300],
    ['text', 7, '7'],
    ['boolean', 'TRUE', true],
    ['boolean', 0, false],
    ['json', '{"a":[1]}', { a: [1] }],
    ['json', { a: 1 }, { a: 1 }],
  ] as const)('set by hand: %s from %j', async (valueType, value, expected) => {
    const { id } = await newState({ valueType })
    expect(await api.state.setValue({ id, value })).toMatchObject({
      value: expected,
      time: clock.now().toISOString(),
    })
  })

  test.each([
    ['number', 'warm', 'VALUE_WRONG_TYPE'],
    ['number', '', 'VALUE_WRONG_TYPE'],
    ['number', true, 'VALUE_WRONG_TYPE'],
    ['boolean', 2, 'VALUE_WRONG_TYPE'],
    ['text', { a: 1 }, 'VALUE_WRONG_TYPE'],
    ['json', '{a', 'INVALID_JSON_VALUE'],
  ] as const)('refused: %s from %j', async (valueType, value, code) => {
    const { id } = await newState({ valueType })
    expect(await errorOf(api.state.setValue({ id, value }))).toMatchObject({ code })
    expect(await currentOf(id)).toBeNull()
  })

  test('an older value does not replace the current one, and who set it is logged', async () => {
    const { id } = await newState()
    await api.state.setValue({ id, value: 2, time: '2026-06-15T11:00:00.000Z' })
    await api.state.setValue({ id, value: 1, time: '2026-06-15T10:00:00.000Z' })
    expect(await api.state.get({ id })).toMatchObject({ value: 2, time: '2026-06-15T11:00:00.000Z' })
    const entries = (await app.api.activityLog.list({ subject: 'State', objectId: id })).items
    expect(entries[1]).toMatchObject({ action: 'setValue', changes: { value: { after: 2 } } })
  })

  test('another type has no current value yet', async () => {
    const { id } = await newState()
    await api.state.setValue({ id, value: 2 })
    expect(await edit(id, { valueType: 'text' })).toMatchObject({
      valueType: 'text',
      value: null,
      time: null,
    })
    await app.drain()
    expect(await api.state.setValue({ id, value: 'two' })).toMatchObject({ value: 'two' })
  })
})

describe('aggregates', () => {
  test('have a value at once and follow their sources over several steps', async () => {
    const [a, b] = [await newState(), await newState()]
    await api.state.setValue({ id: a.id, value: 10 })
    await api.state.setValue({ id: b.id, value: 20 })
    const mean = await newState({
      source: 'aggregate',
      sourceSettings: { stateIds: [a.id, b.id, a.id], method: 'avg' },
    })
    expect(mean).toMatchObject({ value: 15, sourceSettings: { stateIds: [a.id, b.id], method: 'avg' } })
    const twice = await newState({
      source: 'aggregate',
      sourceSettings: { stateIds: [mean.id], method: 'latest' },
      transformer: 'return value * 2',
    })
    expect(twice.value).toBe(30)
    clock.advance(1000)
    await api.state.setValue({ id: a.id, value: 30 })
    await app.app.series.settle()
    expect([await currentOf(mean.id), await currentOf(twice.id)]).toEqual([25, 50])
  })

  test('a changed choice of sources counts at once', async () => {
    const [a, b] = [await newState(), await newState()]
    await api.state.setValue({ id: a.id, value: 1 })
    clock.advance(1000)
    await api.state.setValue({ id: b.id, value: 5 })
    const max = await newState({ source: 'aggregate', sourceSettings: { stateIds: [a.id], method: 'max' } })
    expect(max.value).toBe(1)
    const changed = await edit(max.id, { sourceSettings: { stateIds: [a.id, b.id], method: 'max' } })
    expect(changed.value).toBe(5)
    await edit(max.id, { source: 'none', sourceSettings: {} })
    await api.state.delete({ id: a.id })
  })

  test('a loop over any number of steps is refused', async () => {
    const first = await newState()
    const of = (id: number) => ({ source: 'aggregate' as const, sourceSettings: { stateIds: [id] } })
    const second = await newState(of(first.id))
    const third = await newState(of(second.id))
    expect(await api.state.checkForAggregateLoop({ stateId: first.id, stateIds: [third.id] })).toEqual({
      loop: true,
    })
    expect(await api.state.checkForAggregateLoop({ stateId: third.id, stateIds: [first.id] })).toEqual({
      loop: false,
    })
    for (const source of [first, second, third]) {
      expect(await errorOf(edit(first.id, of(source.id)))).toMatchObject({
        code: 'AGGREGATE_LOOP',
        status: 409,
      })
    }
    expect(await api.state.get({ id: first.id })).toMatchObject({ source: 'none', version: 1 })
  })

  test('two halves of a loop at once: one is refused', async () => {
    const [a, b] = [await newState(), await newState()]
    const of = (id: number) => ({ source: 'aggregate', sourceSettings: { stateIds: [id] } })
    const results = await Promise.allSettled([edit(a.id, of(b.id)), edit(b.id, of(a.id))])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('several states need a method, and all must be visible', async () => {
    const [a, b] = [await newState(), await newState()]
    const sourceSettings = { stateIds: [a.id, b.id] }
    expect(await errorOf(newState({ source: 'aggregate', sourceSettings }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { field: 'sourceSettings.method' },
    })
    const sibling = await createAccount(app)
    const foreignTwin = await app.api.digitaltwin.create({ title: 'Foreign', accountId: sibling.id })
    const foreign = await app.api.state.create({
      dtwinId: foreignTwin.id,
      key: 'f',
      title: 'F',
      source: 'none',
    })
    const stolen = { source: 'aggregate', sourceSettings: { stateIds: [foreign.id] } }
    expect(await errorOf(newState(stolen))).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
      data: { stateId: foreign.id },
    })
  })

  test('a state in use is not deleted and says where it is used', async () => {
    const source = await newState({ title: 'Source' })
    const sum = await newState({
      title: 'Total',
      source: 'aggregate',
      sourceSettings: { stateIds: [source.id], method: 'sum' },
    })
    const usedBy = { stateId: sum.id, title: 'Total', twinId, twinTitle: 'Hall' }
    expect(await errorOf(api.state.delete({ id: source.id }))).toMatchObject({
      code: 'DTWIN_STATE_AGGREGATED',
      data: { items: [usedBy] },
    })
    expect(await api.state.linkedAggregations({ id: source.id })).toEqual({ items: [usedBy] })
    await api.state.delete({ id: sum.id })
    await api.state.delete({ id: source.id })
    expect(await errorOf(api.state.get({ id: source.id }))).toMatchObject({ code: 'DTWIN_STATE_NOT_FOUND' })
  })

  test('can be tried before', async () => {
    const [a, b] = [await newState({ title: 'A' }), await newState({ title: 'B' })]
    await api.state.setValue({ id: a.id, value: 4 })
    const preview = await api.state.aggregateValue({ stateIds: [a.id, b.id], method: 'sum' })
    expect(preview).toEqual({
      value: 4,
      inputs: [
        { stateId: a.id, title: 'A', value: 4, time: clock.now().toISOString() },
        { stateId: b.id, title: 'B', value: null, time: null },
      ],
    })
  })
})

test('states are found by title, key and the title of their twin, in the order of people', async () => {
  const plant = await api.digitaltwin.create({ title: 'Plant 10', accountId: account.id })
  const plant2 = await api.digitaltwin.create({ title: 'Plant 2', accountId: account.id })
  for (const [key, title] of [
    ['flow', 'Flow rate'],
    ['pressure', 'Pressure'],
  ] as const) {
    await newState({ key, title }, plant.id)
    await newState({ key, title }, plant2.id)
  }
  const names = async (query: object) => {
    const found = await api.state.search(query)
    return [found.total, found.items.map(({ twinTitle, title }) => `${twinTitle}/${title}`)]
  }
  expect(await names({ search: 'plant' })).toEqual([
    4,
    ['Plant 2/Flow rate', 'Plant 2/Pressure', 'Plant 10/Flow rate', 'Plant 10/Pressure'],
  ])
  expect(await names({ search: 'plant', offset: 1, limit: 2 })).toEqual([
    4,
    ['Plant 2/Pressure', 'Plant 10/Flow rate'],
  ])
  expect(await names({ search: '"flow"' })).toEqual([2, ['Plant 2/Flow rate', 'Plant 10/Flow rate']])
  expect(await names({ search: 'press 10 PLANT' })).toEqual([1, ['Plant 10/Pressure']])
  expect(await names({ search: 'press 11 plant' })).toEqual([0, []])
  expect(await names({ search: 'rate', dtwinId: plant.id })).toEqual([1, ['Plant 10/Flow rate']])
  expect(await names({ search: 'plant', category: 'virtualDevice' })).toEqual([0, []])
})

describe('a state linked to the position of its twin', () => {
  const placeOf = async (id: number) => {
    const { latitude, longitude } = await api.digitaltwin.get({ id })
    return [latitude, longitude]
  }

  test('moves it, in place of states whose keys look like a position', async () => {
    const { id: boat } = await api.digitaltwin.create({ title: 'Boat', accountId: account.id })
    const byKey = await api.state.create({ dtwinId: boat, key: 'lat', title: 'Latitude', source: 'none' })
    const north = await api.state.create({ dtwinId: boat, key: 'north', title: 'North', source: 'none' })
    await api.state.setValue({ id: byKey.id, value: 10 })
    await api.state.setValue({ id: north.id, value: 54.5 })
    expect(await placeOf(boat)).toEqual([10, null])

    await edit(north.id, { positionAxis: 'latitude' })
    expect(await placeOf(boat)).toEqual([54.5, null])
    await app.ctx.configChanges.settle()
    clock.advance(1000)
    await api.state.setValue({ id: byKey.id, value: 11 })
    expect(await placeOf(boat)).toEqual([54.5, null])
    await api.state.setValue({ id: north.id, value: 55 })
    expect(await placeOf(boat)).toEqual([55, null])

    await edit(north.id, { positionAxis: null })
    await app.ctx.configChanges.settle()
    clock.advance(1000)
    await api.state.setValue({ id: byKey.id, value: 12 })
    expect(await placeOf(boat)).toEqual([12, null])
  })

  test('is a number, and the only one', async () => {
    const { id: boat } = await api.digitaltwin.create({ title: 'Boat', accountId: account.id })
    const east = { positionAxis: 'longitude' as const }
    expect(await errorOf(newState({ ...east, valueType: 'text' }, boat))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { field: 'positionAxis' },
    })
    const first = await newState(east, boat)
    expect(first.positionAxis).toBe('longitude')
    expect(await errorOf(newState(east, boat))).toMatchObject({ code: 'DTWIN_STATE_POSITION_TAKEN' })
    const second = await newState({}, boat)
    expect(await errorOf(edit(second.id, east))).toMatchObject({ code: 'DTWIN_STATE_POSITION_TAKEN' })
    await edit(first.id, { title: 'East' })
  })
})
