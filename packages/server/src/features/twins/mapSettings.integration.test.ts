import type { MarkerRule } from '@leitstand/contract/mapSettings'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Api,
  createAccount,
  createApi,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let api: Api
const ids: Record<string, number> = {}
const id = (title: string) => ids[title] as number

async function add(title: string, parent: string | null, fields: object = {}): Promise<void> {
  const place = parent === null ? { accountId: account.id } : { parentId: id(parent) }
  ids[title] = (await api.digitaltwin.create({ title, ...place, ...fields })).id
}

async function addState(title: string, key: string, value: number | string | boolean, more: object = {}) {
  const valueType = typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean')
  const state = await api.state.create({
    dtwinId: id(title),
    key,
    title: key.toUpperCase(),
    source: 'none',
    valueType,
    ...more,
  })
  await api.state.setValue({ id: state.id, value })
}

const limits = { visualization: { kind: 'value', lowerThreshold: 26, upperThreshold: 30 } }

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'Markers' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
  await add('City', null)
  await add('Hall', 'City', { latitude: 51, longitude: 11 })
  await add('Room', 'Hall', { latitude: 51.00001, longitude: 11.00001 })
  await add('School', 'City', { latitude: 51.02, longitude: 11.03 })
  await add('Yard', 'City', {
    geoPolygon: {
      type: 'Polygon',
      coordinates: [
        [
          [11.1, 51.1],
          [11.2, 51.1],
          [11.2, 51.2],
          [11.1, 51.2],
          [11.1, 51.1],
        ],
      ],
    },
  })
  await addState('Hall', 'temperature', 20, limits)
  await addState('Room', 'temperature', 28, limits)
  await addState('School', 'temperature', 31.5, limits)
  await addState('School', 'door', 'open')
  await addState('School', 'alarm', true)
  await addState('Yard', 'temperature', 3)
})

const view = { west: 10, south: 50, east: 12, north: 52 }
const own = (settings: object = {}, version = 0, title = 'City') =>
  api.digitaltwin.setMapSettings({ id: id(title), version, settings })

describe('map settings', () => {
  it('are those of the specification until somebody sets some', async () => {
    expect(await api.digitaltwin.mapSettings({ id: id('Room') })).toEqual({
      settings: {
        states: [],
        operators: [],
        tags: [],
        markerStyle: 'default',
        distance: 50,
        pitch: 50,
        bearing: 0,
        zoom: null,
        maxZoom: null,
        style: null,
      },
      version: 0,
      from: null,
      editable: true,
    })
  })

  it('are valid for everything below until a twin has its own, and are in the activity log', async () => {
    const set = await own({ states: ['temperature'], distance: 80, markerStyle: 'outlined' })
    expect(set).toMatchObject({ version: 1, from: { title: 'City' } })
    expect(await api.digitaltwin.mapSettings({ id: id('Room') })).toMatchObject({
      settings: { states: ['temperature'], distance: 80 },
      version: 0,
      from: { id: id('City'), title: 'City' },
    })
    const { items } = await app.api.activityLog.list({ offset: 0, limit: 1 })
    expect(items).toMatchObject([{ subject: 'DigitalTwin', objectId: id('City'), action: 'update' }])

    await own({ zoom: 12, maxZoom: 15 }, 0, 'Hall')
    expect(await api.digitaltwin.mapSettings({ id: id('Room') })).toMatchObject({
      settings: { states: [], zoom: 12, maxZoom: 15 },
      from: { title: 'Hall' },
    })
    const removed = await api.digitaltwin.deleteMapSettings({ id: id('Hall') })
    expect(removed).toMatchObject({ settings: { distance: 80 }, version: 0, from: { title: 'City' } })
    expect(await api.digitaltwin.deleteMapSettings({ id: id('Hall') })).toEqual(removed)
  })

  it('are not overwritten by those who have not seen the latest', async () => {
    expect(await errorOf(own({}, 0))).toMatchObject({ code: 'VERSION_CONFLICT', data: { version: 1 } })
    expect(await own({ states: ['temperature'], distance: 80 }, 1)).toMatchObject({ version: 2 })
  })

  it.each([
    { distance: 29 },
    { distance: 201 },
    { pitch: 86 },
    { bearing: -1 },
    { zoom: 23 },
    { maxZoom: 23 },
    { maxZoom: 1.5 },
    { style: 5 },
    { style: 0 },
    { markerStyle: 'round' },
    { states: ['a', 'b', 'c', 'd', 'e', 'f'] },
    { operators: [{ state: 'door', operator: 'gt', value: 'open', color: 'red' }] },
    { operators: [{ state: 'door', operator: 'eq', value: 'open', color: 'pink' }] },
    { colour: 'red' },
  ])('refuse %j', async (settings) => {
    expect(await errorOf(own(settings, 2))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  it('are changed by those who may change the twin, and hide twins that a person does not see', async () => {
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const { api: reader } = await createUser(app, account, [{ roleId }])
    expect(await reader.digitaltwin.mapSettings({ id: id('Hall') })).toMatchObject({ editable: false })
    for (const call of [
      () => reader.digitaltwin.setMapSettings({ id: id('Hall'), version: 0, settings: {} }),
      () => reader.digitaltwin.deleteMapSettings({ id: id('City') }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'NO_PERMISSION' })

    const { scopeId } = await api.digitaltwin.createScope({ id: id('School') })
    const { api: teacher } = await createUser(app, account, [{ roleId, scopeId }])
    expect(await teacher.digitaltwin.mapSettings({ id: id('School') })).toMatchObject({
      settings: { distance: 80 },
      from: null,
    })
    const { api: stranger } = await createUser(app, await createAccount(app), [
      { roleId: await roleNamed(app, 'Operator') },
    ])
    expect(await errorOf(stranger.digitaltwin.mapSettings({ id: id('Hall') }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    expect((await stranger.digitaltwin.mapStates({ twinId: id('City') })).items).toEqual([])
  })

  it('are taken along by copies', async () => {
    const { twinId } = await api.twinCopy.duplicate({ id: id('City'), title: 'Copy', accountId: account.id })
    expect(await api.digitaltwin.mapSettings({ id: twinId ?? 0 })).toMatchObject({
      settings: { states: ['temperature'], distance: 80 },
      version: 1,
    })
  })

  it('are those a public map begins with, but not of twins above the shared one', async () => {
    const { token: key } = await api.sharing.createKey({ id: id('Hall') })
    const visitor = createApi(app.url)
    const seen = () => visitor.shared.mapSettings({ key, twinId: id('Room') })
    expect(await seen()).toMatchObject({ settings: { states: [], distance: 50 } })
    await own({ states: ['temperature'], distance: 60 }, 0, 'Hall')
    expect(await seen()).toMatchObject({ settings: { states: ['temperature'], distance: 60 } })
    await api.digitaltwin.deleteMapSettings({ id: id('Hall') })
    expect(await errorOf(visitor.shared.mapSettings({ key, twinId: id('City') }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    const { items } = await visitor.shared.geoClusters({
      key,
      twinId: id('Hall'),
      zoom: 22,
      markers: { states: ['temperature'] },
    })
    expect(items.map(({ marker }) => marker?.values[0]?.value).sort()).toEqual([20, 28])
  })
})

describe('places', () => {
  const places = async (markers: object, more: object = {}) => {
    const found = await api.digitaltwin.geoClusters({
      ...view,
      twinId: id('City'),
      zoom: 22,
      markers: markers as { states: string[] },
      ...more,
    })
    const shown = [
      ...found.items.map(({ title, marker }) => ({ title, marker })),
      ...found.areas.map(({ title, marker }) => ({ title, marker })),
    ]
    return Object.fromEntries(shown.map(({ title, marker }) => [title, marker]))
  }
  const colors = async (...operators: Partial<MarkerRule>[]) =>
    Object.fromEntries(
      Object.entries(await places({ operators: operators.map((rule) => ({ color: 'red', ...rule })) })).map(
        ([title, marker]) => [title, marker?.color],
      ),
    )

  it('show nothing unless asked', async () => {
    expect(await places({})).toEqual({ Hall: null, Room: null, School: null, Yard: null })
  })

  it('show values by key or title with their limits, in the order asked for', async () => {
    const shown = await places({ states: ['DOOR', 'temperature', 'alarm'] })
    expect(shown.School?.values.map(({ key, value }) => [key, value])).toEqual([
      ['door', 'open'],
      ['temperature', 31.5],
      ['alarm', true],
    ])
    expect(shown.School?.color).toBe('red')
    expect(shown.Room).toMatchObject({
      color: 'yellow',
      values: [{ value: 28, visualization: { lowerThreshold: 26 } }],
    })
    expect(shown.Yard).toMatchObject({ color: null, values: [{ value: 3 }] })
    // By the states that are shown, if these have limits.
    expect((await places({ states: ['door'] })).School).toMatchObject({ color: 'red' })
  })

  it('take colour and icon from the first operator that fits, before the limits', async () => {
    const shown = await places({
      operators: [
        { state: 'temperature', operator: 'gte', value: 31.5, color: 'violet', icon: 'flame' },
        { state: 'Temperature', operator: 'gt', value: 20, color: 'teal' },
      ],
    })
    expect(shown).toMatchObject({
      Hall: { color: 'green', icon: null },
      Room: { color: 'teal', icon: null },
      School: { color: 'violet', icon: 'flame' },
      Yard: { color: null },
    })
  })

  it.each([
    ['eq', 28, ['Room']],
    ['neq', 28, ['Hall', 'School', 'Yard']],
    ['gt', 28, ['School']],
    ['gte', 28, ['Room', 'School']],
    ['lt', 20, ['Yard']],
    ['lte', 20, ['Hall', 'Yard']],
  ] as const)('compare with %s %d', async (operator, value, expected) => {
    const found = await colors({ state: 'temperature', operator, value, color: 'gray' })
    expect(
      Object.entries(found)
        .filter(([, color]) => color === 'gray')
        .map(([title]) => title)
        .sort(),
    ).toEqual(expected)
  })

  it.each([
    ['door', 'eq', 'open', 'gray'],
    ['door', 'eq', 'closed', 'red'],
    ['door', 'neq', 'closed', 'gray'],
    ['alarm', 'eq', 'True', 'gray'],
    ['alarm', 'eq', 1, 'red'],
  ] as const)('compare texts and switches: %s %s %s', async (state, operator, value, color) => {
    expect((await colors({ state, operator, value, color: 'gray' })).School).toBe(color)
  })

  it('make a cluster as urgent as its most urgent member', async () => {
    const cluster = async (operators: object[]) => (await places({ operators }, { zoom: 12 })).Hall?.color
    expect(await cluster([{ state: 'temperature', operator: 'eq', value: 20, color: 'violet' }])).toBe(
      'violet',
    )
    expect(await cluster([{ state: 'temperature', operator: 'eq', value: 28, color: 'teal' }])).toBe('green')
  })

  it('show no values to those who may only list twins', async () => {
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
    const { api: lister } = await createUser(app, account, [{ roleId }])
    const { items } = await lister.digitaltwin.geoClusters({
      ...view,
      twinId: id('City'),
      zoom: 22,
      markers: {
        states: ['temperature'],
        operators: [{ state: 'temperature', operator: 'gt', value: 0, color: 'red' }],
      },
    })
    expect(items.length).toBeGreaterThan(0)
    for (const { marker } of items) expect(marker).toEqual({ color: null, icon: null, values: [] })
  })

  it('can show the states there are, the most frequent first', async () => {
    const { items } = await api.digitaltwin.mapStates({ twinId: id('City') })
    expect(items).toEqual([
      { key: 'temperature', title: 'TEMPERATURE', count: 4 },
      { key: 'alarm', title: 'ALARM', count: 1 },
      { key: 'door', title: 'DOOR', count: 1 },
    ])
  })
})
