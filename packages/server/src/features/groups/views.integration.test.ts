import { viewsMax } from '@leitstand/contract/views'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { type Api, createAccount, createUser, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'

let app: TestApp
let city: { id: number; scopeId: number }
let anna: Api
let bert: Api

beforeAll(async () => {
  app = await startApp()
  city = await createAccount(app, { name: 'City' })
  const access = [{ roleId: await roleNamed(app, 'Viewer') }]
  anna = (await createUser(app, city, access)).api
  bert = (await createUser(app, city, access)).api
})

const silent = { tags: ['bin'], last_seen_older_minutes: 1440, health: [1, 2] }

test('a saved filter finds what the list finds with it, is renamed, narrowed and deleted', async () => {
  const made = await anna.view.create({ title: ' Silent bins ', filter: silent })
  expect(made).toMatchObject({
    title: 'Silent bins',
    accountId: city.id,
    accountName: 'City',
    filter: silent,
    version: 1,
  })
  expect(await anna.virtualdevice.list({ filters: made.filter })).toMatchObject({ total: 0 })
  const { id } = made
  const narrowed = { ...silent, groups: ['Waste'] }
  const changed = await anna.view.update({ id, version: 1, title: 'Bins', filter: narrowed })
  expect(changed).toMatchObject({ title: 'Bins', filter: narrowed, version: 2 })
  expect(await anna.view.get({ id })).toEqual(changed)
  await expect(anna.view.update({ id, version: 1, title: 'Late', filter: silent })).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
  })
  await anna.view.delete({ id })
  await expect(anna.view.get({ id })).rejects.toMatchObject({ code: 'DEVICE_VIEW_NOT_FOUND' })
  const { items } = await app.api.activityLog.list({ subject: 'DeviceView' })
  expect(items.map(({ action, objectTitle }) => [action, objectTitle])).toEqual([
    ['delete', 'Bins'],
    ['update', 'Bins'],
    ['create', 'Silent bins'],
  ])
  expect(items[1]?.changes).toMatchObject({ title: { before: 'Silent bins', after: 'Bins' } })
})

test('everybody has their own, by title, for an account and by a part of the title', async () => {
  const other = await createAccount(app, { name: 'Village' })
  for (const title of ['View 10', 'View 2', 'Äther']) await anna.view.create({ title, filter: silent })
  const theirs = await bert.view.create({ title: 'View 2', filter: silent })
  const titles = async (input: Parameters<Api['view']['list']>[0]) =>
    (await anna.view.list(input)).items.map(({ title }) => title)
  expect(await titles({})).toEqual(['Äther', 'View 2', 'View 10'])
  expect(await titles({ limit: 1, offset: 1 })).toEqual(['View 2'])
  expect(await titles({ search: 'VIEW' })).toEqual(['View 2', 'View 10'])
  expect(await titles({ search: '"view 2"' })).toEqual(['View 2'])
  expect(await titles({ tenantIds: [other.id] })).toEqual([])
  const { id } = theirs
  const unknown = { code: 'DEVICE_VIEW_NOT_FOUND' }
  await expect(anna.view.get({ id })).rejects.toMatchObject(unknown)
  await expect(anna.view.update({ id, version: 1, title: 'Mine', filter: silent })).rejects.toMatchObject(
    unknown,
  )
  await expect(anna.view.delete({ id })).rejects.toMatchObject(unknown)
  const meant = await app.api.view.create({ title: 'For the village', filter: silent, accountId: other.id })
  expect(meant).toMatchObject({ accountId: other.id, accountName: 'Village' })
  await expect(
    anna.view.create({ title: 'For the village', filter: silent, accountId: other.id }),
  ).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' })
})

test('DEVICE_VIEW_ALREADY_EXISTS: a title is taken once, upper and lower case the same', async () => {
  const { id } = await bert.view.create({ title: 'Lamps', filter: silent })
  const taken = { code: 'DEVICE_VIEW_ALREADY_EXISTS' }
  await expect(bert.view.create({ title: 'LAMPS', filter: silent })).rejects.toMatchObject(taken)
  await expect(bert.view.update({ id, version: 1, title: 'view 2', filter: silent })).rejects.toMatchObject(
    taken,
  )
  expect(await bert.view.update({ id, version: 1, title: 'lamps', filter: silent })).toMatchObject({
    version: 2,
  })
})

test('PARAMETER_VALIDATION_ERROR: a filter names something, and nothing that is no filter', async () => {
  for (const filter of [{}, { colour: 'red' }, { health: [7] }])
    await expect(bert.view.create({ title: 'Wrong', filter: filter as object })).rejects.toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
})

test('DEVICE_VIEW_TOO_MANY: a user has at most a hundred, also when several are saved at once', async () => {
  const { total } = await bert.view.list({})
  await sql`insert into device_views (account_id, user_id, title, filter)
    select account_id, user_id, 'Further ' || n, filter
    from device_views, generate_series(1, ${viewsMax - total - 2}) as n where title = 'lamps'`.execute(
    app.ctx.db,
  )
  const made = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((n) => bert.view.create({ title: `Another ${n}`, filter: silent })),
  )
  const refused = made.filter((each) => each.status === 'rejected')
  expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(
    Array.from({ length: 3 }, () => 'DEVICE_VIEW_TOO_MANY'),
  )
  expect((await bert.view.list({})).total).toBe(viewsMax)
})

const warm = {
  search: 'CO2',
  filter: { or: [{ attribute: 'unit', operator: 'equals', value: 'ppm' }] },
} as const

test('filters of states are kept apart from those of devices', async () => {
  const made = await anna.stateView.create({
    title: 'View 2',
    filter: { ...warm, filter: { or: [...warm.filter.or] } },
  })
  expect(made).toMatchObject({ title: 'View 2', filter: warm, shared: false, own: true })
  expect(await anna.stateOverview.fetch({ ...made.filter })).toMatchObject({ total: 0 })
  expect((await anna.stateView.list({})).items).toEqual([made])
  const { id } = made
  await expect(anna.view.get({ id })).rejects.toMatchObject({ code: 'DEVICE_VIEW_NOT_FOUND' })
  await expect(anna.view.delete({ id })).rejects.toMatchObject({ code: 'DEVICE_VIEW_NOT_FOUND' })
  for (const filter of [{}, { colour: 'red' }, { filter: { attribute: 'colour', operator: 'isNull' } }])
    await expect(anna.stateView.create({ title: 'Wrong', filter: filter as object })).rejects.toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
})

test('a shared filter is seen in its account, and changed by the user who saved it', async () => {
  const village = await createAccount(app, { name: 'Hamlet' })
  const carl = (await createUser(app, village, [{ roleId: await roleNamed(app, 'Viewer') }])).api
  const title = 'For all of the city'
  const { id } = await anna.stateView.create({ title, filter: { search: 'CO2' }, shared: true })
  expect(await bert.stateView.get({ id })).toMatchObject({ title, shared: true, own: false })
  expect((await bert.stateView.list({ search: title })).total).toBe(1)
  expect((await carl.stateView.list({ search: title })).total).toBe(0)
  await expect(carl.stateView.get({ id })).rejects.toMatchObject({ code: 'DEVICE_VIEW_NOT_FOUND' })
  const changed = { id, version: 1, title, filter: { search: 'heat' } }
  const refused = { code: 'NO_PERMISSION' }
  await expect(bert.stateView.update(changed)).rejects.toMatchObject(refused)
  await expect(bert.stateView.delete({ id })).rejects.toMatchObject(refused)
  expect(await anna.stateView.update(changed)).toMatchObject({ shared: true, version: 2 })
  await anna.stateView.update({ ...changed, version: 2, shared: false })
  await expect(bert.stateView.get({ id })).rejects.toMatchObject({ code: 'DEVICE_VIEW_NOT_FOUND' })
})

test('filters of the list of twins are a list of their own, and find what the list finds with them', async () => {
  const operator = (await createUser(app, city, [{ roleId: await roleNamed(app, 'Operator') }])).api
  const hall = await operator.digitaltwin.create({ title: 'Hall', accountId: city.id, tags: ['bin'] })
  const filter = { tags: ['bin'], disabled: false }
  const made = await anna.twinView.create({ title: 'Bins', filter, shared: true })
  expect(made).toMatchObject({ title: 'Bins', filter, shared: true })
  const { items } = await anna.digitaltwin.list(made.filter)
  expect(items.map(({ id }) => id)).toEqual([hall.id])
  expect((await bert.twinView.list({})).items).toMatchObject([{ title: 'Bins', own: false }])
  expect((await anna.view.list({ search: '"Bins"' })).items).toEqual([])
  await expect(anna.view.get({ id: made.id })).rejects.toMatchObject({ code: 'DEVICE_VIEW_NOT_FOUND' })
  await anna.twinView.delete({ id: made.id })
})
