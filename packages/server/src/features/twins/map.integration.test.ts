import type { TwinType } from '@leitstand/contract/twins'
import { beforeAll, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
const ids: Record<string, number> = {}

const square = (west: number, south: number, side: number) => ({
  type: 'Polygon' as const,
  coordinates: [
    [
      [west, south],
      [west + side, south],
      [west + side, south + side],
      [west, south + side],
      [west, south],
    ],
  ],
})

async function add(title: string, parent: string | null, fields: object = {}): Promise<number> {
  const place = parent === null ? { accountId: account.id } : { parentId: ids[parent] }
  const { id } = await api.digitaltwin.create({ title, ...place, ...fields })
  ids[title] = id
  return id
}

async function addValue(title: string, value: number): Promise<void> {
  const { id } = await api.state.create({
    dtwinId: ids[title] as number,
    key: 'load',
    title: 'Load',
    source: 'none',
    visualization: { kind: 'value', lowerThreshold: 50, upperThreshold: 90 },
  })
  await api.state.setValue({ id, value })
}

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'Maps' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])).api
  await add('City', null)
  await add('Hall', 'City', { type: 'building' satisfies TwinType, latitude: 51, longitude: 11 })
  await add('Room', 'Hall', { type: 'room', latitude: 51.0001, longitude: 11.0001, tags: ['warm'] })
  await add('School', 'City', { type: 'building', latitude: 51.02, longitude: 11.03 })
  await add('Park', 'City', { type: 'zone', geoPolygon: square(11.1, 51.1, 0.01) })
  await add('Yard', null, { latitude: 40, longitude: -3, geoPolygon: square(-3.01, 39.99, 0.02) })
  await addValue('Room', 60)
  await addValue('Hall', 10)
  await addValue('Park', 95)
})

const view = { west: 10, south: 50, east: 12, north: 52 }

test('the extent covers positions and polygons of the twin and everything below it', async () => {
  expect(await api.digitaltwin.geoMetaInfos({ twinId: ids.City })).toEqual({
    total: 5,
    placed: 3,
    bounds: { west: 11, south: 51, east: 11.11, north: expect.closeTo(51.11, 9) },
  })
  expect(await api.digitaltwin.geoMetaInfos({ twinId: ids.Hall })).toMatchObject({ total: 2, placed: 2 })
  expect(await api.digitaltwin.geoMetaInfos({ twinId: ids.City, excludeZones: true })).toMatchObject({
    total: 4,
    bounds: { east: 11.03 },
  })
  expect(await api.digitaltwin.geoMetaInfos({ search: 'city' })).toEqual({
    total: 1,
    placed: 0,
    bounds: null,
  })
  expect(await api.digitaltwin.geoMetaInfos({})).toMatchObject({ total: 6, bounds: { west: -3.01 } })
})

test('neighbours are a cluster in the worst level of its members', async () => {
  const { items, more } = await api.digitaltwin.geoClusters({ ...view, zoom: 12 })
  expect(more).toBe(false)
  expect(items).toMatchObject([
    { count: 2, level: 'warning', title: 'Hall', twin: null },
    { count: 1, level: null, twin: { id: ids.School, title: 'School', type: 'building', level: null } },
  ])
  const [cluster] = items
  expect(await api.digitaltwin.geoClusterBreakOpen({ id: cluster?.id ?? '' })).toMatchObject({
    total: 2,
    items: [
      { title: 'Hall', level: 'ok' },
      { title: 'Room', level: 'warning' },
    ],
    bounds: { west: 11, north: 51.0001 },
  })
  const single = await api.digitaltwin.geoClusters({ ...view, zoom: 22, tags: ['warm'] })
  expect(single.items).toMatchObject([{ twin: { title: 'Room' }, level: 'warning' }])
})

test('counts of clusters are those of the list of their members, and together all places, at every zoom', async () => {
  const { placed } = await api.digitaltwin.geoMetaInfos({})
  for (const zoom of [0, 6, 12, 18, 22]) {
    const { items } = await api.digitaltwin.geoClusters({ zoom })
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(placed)
    for (const { id, count } of items)
      expect((await api.digitaltwin.geoClusterBreakOpen({ id })).items).toHaveLength(count)
  }
})

test('polygons are those in view that can be seen, without stateless ones on request', async () => {
  const areas = async (more: object = {}) => {
    const found = await api.digitaltwin.geoClusters({ ...view, zoom: 10, ...more })
    return found.areas.map(({ title, level, isAlone }) => ({ title, level, isAlone }))
  }
  const park = { title: 'Park', level: 'error', isAlone: true }
  const yard = { title: 'Yard', level: null, isAlone: false }
  expect(await areas()).toEqual([park])
  expect(await areas({ zoom: 4 })).toEqual([])
  expect(await areas({ excludeZones: true })).toEqual([])
  expect(await areas({ west: -180, south: -90, east: 180, north: 90 })).toEqual([yard, park])
  expect(await areas({ west: -10, south: 30, hideStatelessPolygons: true })).toEqual([park])
})

test('nothing of other accounts is shown, and no level to who may only list twins', async () => {
  const other = await createUser(app, await createAccount(app), [
    { roleId: await roleNamed(app, 'Operator') },
  ])
  expect(await other.api.digitaltwin.geoMetaInfos({ twinId: ids.City })).toEqual({
    total: 0,
    placed: 0,
    bounds: null,
  })
  expect(await other.api.digitaltwin.geoClusters({ ...view, zoom: 10 })).toMatchObject({
    items: [],
    areas: [],
  })
  const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
  const lister = await createUser(app, account, [{ roleId }])
  const seen = await lister.api.digitaltwin.geoClusters({ ...view, zoom: 12 })
  expect(seen.items).toMatchObject([{ count: 2, level: null }, { level: null }])
  expect(seen.areas).toMatchObject([{ title: 'Park', level: null }])
})

test('bounds in the wrong order are refused', async () => {
  await expect(api.digitaltwin.geoClusters({ zoom: 3, west: 20, east: 10 })).rejects.toMatchObject({
    code: 'PARAMETER_VALIDATION_ERROR',
  })
})
