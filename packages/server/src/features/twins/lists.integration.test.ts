import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

const triangle = {
  type: 'Polygon' as const,
  coordinates: [
    [
      [7, 51],
      [8, 51],
      [8, 52],
      [7, 51],
    ],
  ],
}

let app: TestApp

let account: { id: number; scopeId: number }
let api: Api
beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'Lists' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])).api
  const park = await api.digitaltwin.create({
    accountId: account.id,
    title: 'Park',
    type: 'zone',
    zones: ['green'],
    geoPolygon: triangle,
  })
  for (const [index, title] of ['Bench 10', 'bench 2', 'Änker', 'Bench 1', 'Zoo', '100% oak'].entries()) {
    await api.digitaltwin.create({
      parentId: park.id,
      title,
      tags: index % 2 ? ['odd'] : ['even'],
      keyValues: index === 0 ? { serial: 'X-12' } : index === 1 ? { serial: 'X-123' } : {},
    })
  }
})

test('are sorted the way people do', async () => {
  const sorted = titles(await api.digitaltwin.list({}))
  expect(sorted).toEqual(['100% oak', 'Änker', 'Bench 1', 'bench 2', 'Bench 10', 'Park', 'Zoo'])
  expect(titles(await api.digitaltwin.list({ orderBy: '-title' }))).toEqual(sorted.toReversed())
})

test('are paged without gaps and repetitions', async () => {
  const pages = []
  for (const offset of [0, 3, 6, 9]) pages.push(await api.digitaltwin.list({ offset, limit: 3 }))
  expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7])
  expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 1, 0])
  expect(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size).toBe(7)
})

test.each([
  ['part', { search: 'ENCH 1' }, ['Bench 1', 'Bench 10']],
  ['exact in quotes', { search: '"bench 1"' }, ['Bench 1']],
  ['short', { search: 'zo' }, ['Zoo']],
  ['wildcards are plain text', { search: '0%' }, ['100% oak']],
  ['any of the tags', { tags: ['odd'] }, ['Bench 1', 'bench 2', '100% oak']],
  ['zones', { zones: ['green', 'blue'] }, ['Park']],
  ['types', { types: ['zone' as const] }, ['Park']],
  ['key', { keyValue: 'serial' }, ['bench 2', 'Bench 10']],
  ['key and part of the value', { keyValue: 'serial=x-12' }, ['bench 2', 'Bench 10']],
  ['key and exact value', { keyValue: 'serial="X-12"' }, ['Bench 10']],
  ['disabled', { disabled: true }, []],
])('filter: %s', async (_name, filter, expected) => {
  const found = await api.digitaltwin.list(filter)
  expect(titles(found).toSorted()).toEqual(expected.toSorted())
  expect(found.total).toBe(expected.length)
})

test('filter by id, parent and favourites', async () => {
  const [zoo] = (await api.digitaltwin.list({ search: 'Zoo' })).items
  if (!zoo) throw new Error('no Zoo')
  expect(titles(await api.digitaltwin.list({ search: String(zoo.id) }))).toEqual(['Zoo'])
  expect((await api.digitaltwin.list({ parentId: zoo.parentId ?? 0 })).total).toBe(6)
  const den = await api.digitaltwin.create({ parentId: zoo.id, title: 'Den', type: 'trackable' })
  const below = (belowId: number) => api.digitaltwin.list({ belowId, types: ['trackable'] })
  expect(titles(await below(zoo.parentId ?? 0))).toEqual(['Den'])
  expect((await below(den.id)).total).toBe(0)
  expect((await api.digitaltwin.list({ belowId: zoo.parentId ?? 0 })).total).toBe(7)
  await api.digitaltwin.delete({ id: den.id })
  await api.favorite.create({ type: 'digitalTwin', objectId: zoo.id })
  expect(titles(await api.digitaltwin.list({ favorites: true }))).toEqual(['Zoo'])
  expect(titles(await app.api.digitaltwin.list({ favorites: true }))).toEqual([])
})

test('the tree: tops, children, and the part that matches with its ancestors', async () => {
  const tops = await api.digitaltwin.children({ id: 0 })
  expect(tops.items.map(({ title, childCount }) => [title, childCount])).toEqual([['Park', 6]])
  const children = await api.digitaltwin.children({ id: tops.items[0]?.id ?? 0, limit: 2 })
  expect([children.total, titles(children)]).toEqual([6, ['100% oak', 'Änker']])
  const part = await api.digitaltwin.partialTree({ search: 'zoo' })
  expect(titles(part)).toEqual(['Park', 'Zoo'])
  expect(part.hitIds).toEqual(part.items.filter(({ title }) => title === 'Zoo').map(({ id }) => id))
  expect(part.more).toBe(false)
  expect(titles(await api.digitaltwin.partialTree({ twinId: part.hitIds[0] ?? 0 }))).toEqual(['Park', 'Zoo'])
})

test('tags and zones in use', async () => {
  expect(await api.digitaltwin.tagsZones()).toEqual({ tags: ['even', 'odd'], zones: ['green'] })
})

const titles = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title)

test('show the worst level of the states that have limits', async () => {
  const [zoo] = (await api.digitaltwin.list({ search: 'Zoo' })).items
  if (!zoo) throw new Error('no Zoo')
  const limits = {
    upperBound: 100,
    visualization: { kind: 'value' as const, lowerThreshold: 20, upperThreshold: 30 },
  }
  const add = (key: string, fields: object) =>
    api.state.create({ dtwinId: zoo.id, key, title: key, source: 'none', ...fields })
  const level = async () => (await api.digitaltwin.list({ ids: [zoo.id] })).items[0]?.level
  const plain = await add('plain', {})
  await api.state.setValue({ id: plain.id, value: 1000 })
  const warm = await add('warm', limits)
  expect(await level()).toBeNull()
  for (const [value, expected] of [
    [19, 'ok'],
    [20, 'warning'],
    [30, 'error'],
    [101, 'invalid'],
  ] as const) {
    await api.state.setValue({ id: warm.id, value })
    expect(await level()).toBe(expected)
  }
  const other = await add('other', limits)
  await api.state.setValue({ id: other.id, value: 40 })
  expect(await level()).toBe('error')
  expect(await api.digitaltwin.get({ id: zoo.id })).toMatchObject({ level: 'error' })

  const [park] = (await api.digitaltwin.list({ search: 'Park' })).items
  const ids = [zoo.id, park?.id ?? 0]
  const worst = async (theirs: Api) =>
    new Map((await theirs.digitaltwin.worstLevels({ ids })).items.map((each) => [each.id, each.level]))
  expect(park?.level).toBeNull()
  expect(await worst(api)).toEqual(new Map(ids.map((id) => [id, 'error'])))
  const stranger = await createUser(app, await createAccount(app), [
    { roleId: await roleNamed(app, 'Operator') },
  ])
  expect(await worst(stranger.api)).toEqual(new Map())

  const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
  const lister = await createUser(app, account, [{ roleId }])
  expect(await worst(lister.api)).toEqual(new Map(ids.map((id) => [id, null])))
  expect((await lister.api.digitaltwin.list({ ids: [zoo.id] })).items).toMatchObject([{ level: null }])
})

describe('the parameters of the specification', () => {
  const list = (input: Parameters<Api['digitaltwin']['list']>[0]) => api.digitaltwin.list(input)

  test('search_items: all of them have to match', async () => {
    expect(titles(await list({ search_items: 'bench' }))).toEqual(['Bench 1', 'bench 2', 'Bench 10'])
    expect(titles(await list({ search_items: ['bench', '"Bench 1"'] }))).toEqual(['Bench 1'])
    expect(titles(await list({ search_items: ['bench', 'zoo'] }))).toEqual([])
    expect(titles(await list({ search: 'bench', search_items: ['10'] }))).toEqual(['Bench 10'])
  })

  test('filters: as an object or JSON text, and what is given directly takes precedence', async () => {
    const odd = ['Bench 1', 'bench 2', '100% oak']
    const filters = { tags: ['odd'] }
    expect(titles(await list({ filters })).toSorted()).toEqual(odd.toSorted())
    expect(titles(await list({ filters: JSON.stringify(filters) })).toSorted()).toEqual(odd.toSorted())
    expect(titles(await list({ filters: { ...filters, search: 'bench' }, tags: ['even'] }))).toEqual([
      'Bench 10',
    ])
    for (const wrong of ['{', '[]', '{"unknown":1}'])
      expect(await errorOf(list({ filters: wrong }))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  test('order_by: instead of orderBy', async () => {
    const sorted = titles(await list({}))
    expect(titles(await list({ order_by: '-title', orderBy: 'title' }))).toEqual(sorted.toReversed())
  })

  test('scope_ids: with the scopes below them, unless options say no_descendents', async () => {
    const land = await createAccount(app, { name: 'Land' })
    const village = await createAccount(app, { name: 'Village', parent: land })
    const user = await createUser(app, land, [{ roleId: await roleNamed(app, 'Operator') }])
    await user.api.digitaltwin.create({ title: 'Land', accountId: land.id })
    await user.api.digitaltwin.create({ title: 'Village', accountId: village.id })
    const of = async (input: Parameters<Api['digitaltwin']['list']>[0]) =>
      titles(await user.api.digitaltwin.list(input))
    expect(await of({ scope_ids: [land.scopeId] })).toEqual(['Land', 'Village'])
    expect(await of({ scope_ids: [land.scopeId], options: ['no_descendents'] })).toEqual(['Land'])
    expect(await of({ scope_ids: [village.scopeId] })).toEqual(['Village'])
    expect(await of({ scope_ids: [account.scopeId] }), 'scopes of others').toEqual([])
    // user_id: the caller's own id only.
    expect(await of({ user_id: user.id })).toEqual(['Land', 'Village'])
    expect(await errorOf(of({ user_id: user.id + 1 }))).toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('include_identifiers and include_properties: only of twins the caller may read', async () => {
    const twin = {
      referenceIds: [{ name: 'meter', value: '1' }],
      keyValues: { k: 'v' },
      address: 'Main Street',
    }
    const { id } = await api.digitaltwin.create({ accountId: account.id, title: 'Meter house', ...twin })
    const all = { ids: [id], include_identifiers: true, include_properties: true }
    expect((await list(all)).items).toMatchObject([{ ...twin, description: '' }])
    const [bare] = (await list({ ids: [id] })).items
    for (const field of ['referenceIds', 'keyValues', 'address']) expect(bare).not.toHaveProperty(field)
    const [identified] = (await list({ ids: [id], include_identifiers: true })).items
    expect(identified).toMatchObject({ referenceIds: twin.referenceIds })
    expect(identified).not.toHaveProperty('keyValues')
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
    const lister = await createUser(app, account, [{ roleId }])
    const [listed] = (await lister.api.digitaltwin.list(all)).items
    expect(listed).toMatchObject({ title: 'Meter house' })
    for (const field of ['referenceIds', 'keyValues', 'address']) expect(listed).not.toHaveProperty(field)
    await api.digitaltwin.delete({ id })
  })
})
