import { type SmartGroupFilter, smartGroupsMax } from '@leitstand/contract/smartGroups'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { widgetDefinition } from '../../../../test/matrix/world.ts'
import { createConnector, createDevice } from '../../../../test/pipeline.ts'
import { jsonb } from '../../../platform/db/index.ts'
import { checkUses, recordUses } from '../../objects/index.ts'

let app: TestApp
let city: Awaited<ReturnType<typeof createAccount>>
let quarter: Awaited<ReturnType<typeof createAccount>>
let elsewhere: Awaited<ReturnType<typeof createAccount>>
let manager: Api
let reader: Api
const devices: Record<'bin' | 'lamp' | 'below', number> = { bin: 0, lamp: 0, below: 0 }

beforeAll(async () => {
  app = await startApp()
  city = await createAccount(app, { name: 'City' })
  quarter = await createAccount(app, { name: 'Quarter', parent: city })
  elsewhere = await createAccount(app, { name: 'Elsewhere' })
  const roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read', 'write', 'manage'] }])
  manager = (await createUser(app, city, [{ roleId }])).api
  reader = (await createUser(app, city, [{ roleId: await roleNamed(app, 'Viewer') }])).api
  const network = await createConnector(app, city.id, city.scopeId)
  const networkBelow = await createConnector(app, quarter.id, quarter.scopeId)
  devices.bin = await createDevice(app, network, 'bin')
  devices.lamp = await createDevice(app, network, 'lamp')
  devices.below = await createDevice(app, networkBelow, 'below')
  await sql`update twins set tags = '{waste}' where id = ${devices.bin}`.execute(app.ctx.db)
  await sql`update device_live set health = 2, last_seen = now() where twin_id = ${devices.bin}`.execute(
    app.ctx.db,
  )
  await sql`update device_live set health = 0 where twin_id = ${devices.lamp}`.execute(app.ctx.db)
})

const membersOf = async (id: number, api: Api = manager) =>
  (await api.smartGroup.execute({ id, order_by: 'id' })).items.map((device) => device.id)

test('a smart group has the devices of its account, live, and those of accounts below it only if it names them', async () => {
  const made = await manager.smartGroup.create({ title: ' Everything ', accountId: city.id })
  expect(made).toMatchObject({
    title: 'Everything',
    description: '',
    accountId: city.id,
    accountName: 'City',
    filter: {},
    monitoring: null,
    editable: true,
    version: 1,
  })
  const { id } = made
  expect(await membersOf(id)).toEqual([devices.bin, devices.lamp])
  const change = { id, title: 'Waste', description: 'What the city collects' }
  const narrowed = await manager.smartGroup.update({ ...change, version: 1, filter: { tags: ['waste'] } })
  expect(narrowed).toMatchObject({ ...change, filter: { tags: ['waste'] }, version: 2 })
  expect(await membersOf(id)).toEqual([devices.bin])
  await sql`update twins set tags = '{waste}' where id = ${devices.lamp}`.execute(app.ctx.db)
  expect(await membersOf(id)).toEqual([devices.bin, devices.lamp])
  await sql`update twins set tags = '{}' where id = ${devices.lamp}`.execute(app.ctx.db)
  const both = { account_ids: [city.id, quarter.id] }
  await manager.smartGroup.update({ ...change, version: 2, filter: both })
  expect(await membersOf(id)).toEqual([devices.bin, devices.lamp, devices.below])
  expect(await manager.smartGroup.execute({ id, offset: 1, limit: 1, order_by: 'id' })).toMatchObject({
    total: 3,
    items: [{ id: devices.lamp }],
  })
  expect((await manager.smartGroup.execute({ id, search: 'below' })).items).toMatchObject([
    { id: devices.below },
  ])
  await expect(manager.smartGroup.update({ ...change, version: 2, filter: {} })).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
  })
  // The account leaves: its devices do too.
  await sql`update accounts set parent_id = ${app.rootAccountId} where id = ${quarter.id}`.execute(app.ctx.db)
  expect(await membersOf(id, app.api)).toEqual([devices.bin, devices.lamp])
  await sql`update accounts set parent_id = ${city.id} where id = ${quarter.id}`.execute(app.ctx.db)
  await manager.smartGroup.delete({ id })
  await expect(manager.smartGroup.get({ id })).rejects.toMatchObject({ code: 'SMART_GROUP_NOT_FOUND' })
  const { items } = await app.api.activityLog.list({ subject: 'SmartGroup' })
  expect(items.map(({ action, objectTitle }) => [action, objectTitle])).toEqual([
    ['delete', 'Waste'],
    ['update', 'Waste'],
    ['update', 'Waste'],
    ['create', 'Everything'],
  ])
  expect(items[2]?.changes).toMatchObject({ title: { before: 'Everything', after: 'Waste' } })
})

test('counts of its devices', async () => {
  const { id } = await manager.smartGroup.create({ title: 'Counted', accountId: city.id })
  expect(await manager.smartGroup.deviceStatistics({ id })).toEqual({
    devices: 2,
    disabled: 0,
    neverSeen: 1,
    byHealth: [
      { health: 0, count: 1 },
      { health: 2, count: 1 },
    ],
    byOperationalStatus: [{ status: 0, count: 2 }],
    byDriver: [{ driverId: null, title: null, count: 2 }],
  })
  const { id: none } = await manager.smartGroup.create({
    title: 'Nobody',
    accountId: city.id,
    filter: { tags: ['nothing'] },
  })
  expect(await manager.smartGroup.deviceStatistics({ id: none })).toEqual({
    devices: 0,
    disabled: 0,
    neverSeen: 0,
    byHealth: [],
    byOperationalStatus: [],
    byDriver: [],
  })
  expect(await manager.smartGroup.packetStatistics({ id: none })).toMatchObject({
    devices: 0,
    active: 0,
    received: 0,
    expected: null,
    low: null,
  })
})

test('everybody who reads the devices of the account sees its groups, those who manage them change them', async () => {
  const made = await manager.smartGroup.create({ title: 'Seen', accountId: city.id })
  const { id } = made
  expect(await reader.smartGroup.get({ id })).toEqual({ ...made, editable: false })
  expect(await membersOf(id, reader)).toEqual([devices.bin, devices.lamp])
  const change = { id, version: 1, title: 'Mine' }
  await expect(reader.smartGroup.update(change)).rejects.toMatchObject({ code: 'NO_PERMISSION' })
  await expect(reader.smartGroup.delete({ id })).rejects.toMatchObject({ code: 'NO_PERMISSION' })
  const roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read', 'manage'] }])
  const stranger = (await createUser(app, elsewhere, [{ roleId }])).api
  const unknown = { code: 'SMART_GROUP_NOT_FOUND' }
  await expect(stranger.smartGroup.get({ id })).rejects.toMatchObject(unknown)
  await expect(stranger.smartGroup.execute({ id })).rejects.toMatchObject(unknown)
  await expect(stranger.smartGroup.packetStatistics({ id })).rejects.toMatchObject(unknown)
  await expect(stranger.smartGroup.update(change)).rejects.toMatchObject(unknown)
  expect((await stranger.smartGroup.list({ search: 'Seen' })).total).toBe(0)
  await expect(stranger.smartGroup.create({ title: 'Foreign', accountId: city.id })).rejects.toMatchObject({
    code: 'TENANT_NOT_FOUND',
  })
})

test('groups are found by title, description, id, account and as favourites, and paged', async () => {
  const made = await Promise.all(
    ['Group 10', 'Group 2', 'Äther'].map((title) =>
      manager.smartGroup.create({ title, accountId: quarter.id, description: 'For the quarter' }),
    ),
  )
  const titles = async (input: Parameters<Api['smartGroup']['list']>[0]) =>
    (await manager.smartGroup.list(input)).items.map(({ title }) => title)
  const tenantIds = [quarter.id]
  expect(await titles({ tenantIds })).toEqual(['Äther', 'Group 2', 'Group 10'])
  expect(await titles({ tenantIds, order_by: '-title', limit: 1, offset: 1 })).toEqual(['Group 2'])
  expect(await titles({ search: 'the quarter' })).toEqual(['Äther', 'Group 2', 'Group 10'])
  expect(await titles({ search: '"group 2"' })).toEqual(['Group 2'])
  expect(await titles({ search: String(made[0]?.id), tenantIds })).toContain('Group 10')
  const objectId = made[1]?.id ?? 0
  const favourite = await manager.favorite.create({ type: 'smartGroup', objectId })
  expect(favourite).toMatchObject({ title: 'Group 2' })
  expect(await titles({ favorites: true })).toEqual(['Group 2'])
  await manager.smartGroup.delete({ id: objectId })
  expect(await manager.favorite.list()).toEqual({ items: [] })
})

test('SMART_GROUP_ALREADY_EXISTS: a title is taken once in an account, upper and lower case the same', async () => {
  const { id } = await manager.smartGroup.create({ title: 'Lamps', accountId: city.id })
  const taken = { code: 'SMART_GROUP_ALREADY_EXISTS' }
  await expect(manager.smartGroup.create({ title: 'LAMPS', accountId: city.id })).rejects.toMatchObject(taken)
  const other = await manager.smartGroup.create({ title: 'Lamps', accountId: quarter.id })
  await manager.smartGroup.update({ id, version: 1, title: 'lamps' })
  const { id: second } = await manager.smartGroup.create({ title: 'Other lamps', accountId: quarter.id })
  await expect(
    manager.smartGroup.update({ id: second, version: 1, title: other.title }),
  ).rejects.toMatchObject(taken)
})

test('SMART_GROUP_FOREIGN_ACCOUNT: a filter names the account of the group and accounts below it', async () => {
  const create = (account_ids: number[], accountId = city.id) =>
    app.api.smartGroup.create({ title: `Of ${account_ids}`, accountId, filter: { account_ids } })
  await expect(create([city.id, elsewhere.id])).rejects.toMatchObject({
    code: 'SMART_GROUP_FOREIGN_ACCOUNT',
    data: { ids: [elsewhere.id] },
  })
  await expect(create([city.id], quarter.id)).rejects.toMatchObject({ code: 'SMART_GROUP_FOREIGN_ACCOUNT' })
  const { id } = await create([quarter.id])
  await expect(
    app.api.smartGroup.update({ id, version: 1, title: 'No', filter: { account_ids: [elsewhere.id] } }),
  ).rejects.toMatchObject({ code: 'SMART_GROUP_FOREIGN_ACCOUNT' })
})

test('PARAMETER_VALIDATION_ERROR: nothing that is no filter and no threshold', async () => {
  const monitoring = {
    expected: 'number' as const,
    packetsPerDay: 24,
    windowHours: 24,
    threshold: 50,
    hysteresis: 10,
  }
  const wrong = [
    { filter: { colour: 'red' } },
    { filter: { favorites: true } },
    { filter: { health: [7] } },
    { monitoring: { ...monitoring, packetsPerDay: null } },
    { monitoring: { ...monitoring, windowHours: 169 } },
    { monitoring: { ...monitoring, threshold: 0 } },
    { monitoring: { ...monitoring, threshold: 95 } },
    { monitoring: { ...monitoring, expected: 'guessed' as 'learned' } },
  ]
  for (const part of wrong)
    await expect(
      manager.smartGroup.create({
        title: 'Wrong',
        accountId: city.id,
        ...(part as { filter?: SmartGroupFilter }),
      }),
      JSON.stringify(part),
    ).rejects.toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
})

test('SMART_GROUP_TOO_MANY: an account has at most so many, also when several are created at once', async () => {
  const full = await createAccount(app, { name: 'Full' })
  await sql`insert into smart_groups (account_id, scope_id, title, filter)
    select ${full.id}, ${full.scopeId}, 'Group ' || n, '{}' from generate_series(1, ${smartGroupsMax - 2}) as n`.execute(
    app.ctx.db,
  )
  const made = await Promise.allSettled(
    [1, 2, 3, 4].map((n) => app.api.smartGroup.create({ title: `Another ${n}`, accountId: full.id })),
  )
  const refused = made.filter((each) => each.status === 'rejected')
  expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual([
    'SMART_GROUP_TOO_MANY',
    'SMART_GROUP_TOO_MANY',
  ])
  expect((await app.api.smartGroup.list({ tenantIds: [full.id] })).total).toBe(smartGroupsMax)
})

test('SMART_GROUP_IN_USE: a group is not deleted while something uses it', async () => {
  const { id } = await manager.smartGroup.create({ title: 'Used', accountId: city.id })
  const admin = app.api
  const board = await admin.dashboards.create({ name: 'Waste', accountId: city.id })
  const { id: widget } = await app.ctx.db
    .insertInto('widgets')
    .values({ dashboard_id: board.id, position: 0, config: jsonb(widgetDefinition) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await app.ctx.db
    .transaction()
    .execute((tx) =>
      recordUses(tx, 'widget', [{ id: widget, uses: [{ kind: 'smartGroup', id, note: 'reads' }] }]),
    )
  expect(await admin.objects.usersOfGroup({ id })).toMatchObject({
    total: 1,
    items: [{ kind: 'dashboard', title: 'Waste' }],
  })
  await expect(admin.smartGroup.delete({ id })).rejects.toMatchObject({
    code: 'SMART_GROUP_IN_USE',
    data: { count: 1, items: [{ kind: 'dashboard', title: 'Waste' }] },
  })
  // One who does not see what uses it learns only that something does.
  await expect(manager.smartGroup.delete({ id })).rejects.toMatchObject({
    code: 'SMART_GROUP_IN_USE',
    data: { count: 0, items: [], hidden: true },
  })
  await app.ctx.db.deleteFrom('widgets').where('id', '=', widget).execute()
  await manager.smartGroup.delete({ id })
  expect((await checkUses(app.ctx.db)).filter(({ kind }) => kind === 'smartGroup')).toEqual([])
})

test('groups go with their account, and their files with them', async () => {
  const gone = await createAccount(app, { name: 'Gone' })
  const { id } = await app.api.smartGroup.create({ title: 'Gone', accountId: gone.id })
  const file = await app.api.upload.post({
    file: new File(['How to reach them'], 'notes.txt'),
    object: 'smartGroup',
    objectId: id,
  })
  expect(file).toMatchObject({ object: 'smartGroup', objectId: id })
  await app.api.tenant.delete({ id: gone.id, virtualDevices: 0 })
  await expect(app.api.smartGroup.get({ id })).rejects.toMatchObject({ code: 'SMART_GROUP_NOT_FOUND' })
  await expect(app.api.upload.file({ id: file.id })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
})
