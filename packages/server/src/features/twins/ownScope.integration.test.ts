import { sql } from 'kysely'
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
import { type LiveReader, openLive } from '../../../test/live.ts'
import { createConnector } from '../../../test/pipeline.ts'
import { createState, createTwin } from '../../../test/twins.ts'

let app: TestApp
let administrator: number
let viewer: number

beforeAll(async () => {
  app = await startApp()
  administrator = await roleNamed(app, 'Account administrator')
  viewer = await roleNamed(app, 'Viewer')
})

type Account = Awaited<ReturnType<typeof createAccount>>

/** A twin or device with a state and an open alarm. */
async function place(
  account: Account,
  title: string,
  parentId?: number,
  category?: 'digitalTwin' | 'virtualDevice',
) {
  const { db, clock } = app.ctx
  const { id } = await createTwin(app, account, {
    title,
    ...(parentId === undefined ? {} : { parentId }),
    ...(category ? { category } : {}),
  })
  if (category === 'virtualDevice') {
    const connector = await createConnector(app, account.id, account.scopeId)
    const device = { twin_id: id, connector_id: connector.id, external_id: title }
    await db.insertInto('virtual_devices').values(device).execute()
    await db.insertInto('device_live').values({ twin_id: id }).execute()
  }
  const stateId = await createState(app, id, 'level')
  const alarm = { account_id: account.id, twin_id: id, severity: 'error', message: title }
  await db
    .insertInto('alarms')
    .values({ ...alarm, raised_at: clock.now() })
    .execute()
  return { id, stateId }
}

/** Works > Hall > Room > Desk with devices in works, hall and desk, seen by an administrator and a viewer. */
async function works() {
  const account = await createAccount(app)
  const top = await place(account, 'Works')
  const hall = await place(account, 'Hall', top.id)
  const room = await place(account, 'Room', hall.id)
  const desk = await place(account, 'Desk', room.id)
  for (const [title, above] of [
    ['Gate', top],
    ['Fan', hall],
    ['Lamp', desk],
  ] as const)
    await place(account, title, above.id, 'virtualDevice')
  const admin = await createUser(app, account, [{ roleId: administrator }])
  const reader = await createUser(app, account, [{ roleId: viewer }])
  return { account, top, hall, room, desk, admin, reader }
}

const namesOf = <T>(items: readonly T[], name: (item: T) => string) => [...new Set(items.map(name))].sort()

/** What a user finds in lists, by title of twin or device. */
async function seenBy(api: Api) {
  const [twins, devices, states, alarms] = await Promise.all([
    api.digitaltwin.list({ limit: 100 }),
    api.virtualdevice.list({ limit: 100 }),
    api.stateOverview.fetch({ limit: 100 }),
    api.alarmLogs.list({ limit: 100 }),
  ])
  return {
    twins: namesOf(twins.items, ({ title }) => title),
    devices: namesOf(devices.items, ({ title }) => title),
    states: namesOf(states.items, ({ twinTitle }) => twinTitle),
    alarms: namesOf(alarms.items, ({ message }) => message),
  }
}

/** What `seenBy` returns for someone who sees states and alarms of all of these. */
const sight = (twins: string[], devices: string[]) => {
  const both = [...twins, ...devices].sort()
  return { twins: [...twins].sort(), devices: [...devices].sort(), states: both, alarms: both }
}

const everything = sight(['Works', 'Hall', 'Room', 'Desk'], ['Gate', 'Fan', 'Lamp'])
const inHall = sight(['Hall', 'Room', 'Desk'], ['Fan', 'Lamp'])
const inRoom = sight(['Room', 'Desk'], ['Lamp'])

async function follows(reader: LiveReader, twinId: number): Promise<string | undefined> {
  return (await reader.follow(`twin:${twinId}`)).at(-1)?.kind
}

async function activityOf(id: number) {
  const { items } = await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: id })
  return items.map(({ action, objectTitle }) => `${action} ${objectTitle}`)
}

describe('a scope of its own', () => {
  test('is what a role can be given on: its user sees that part of the tree and nothing else', async () => {
    const { account, top, hall, room, desk, admin, reader } = await works()
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
    const { items } = await admin.api.acl.listScopes()
    expect(items.find(({ id }) => id === scopeId)).toMatchObject({
      parentId: account.scopeId,
      accountId: account.id,
      twinId: hall.id,
      name: 'Hall',
    })
    expect(await admin.api.digitaltwin.get({ id: hall.id })).toMatchObject({ hasOwnScope: true, scopeId })
    expect(await admin.api.digitaltwin.get({ id: room.id })).toMatchObject({ hasOwnScope: false, scopeId })
    expect(await admin.api.digitaltwin.get({ id: top.id })).toMatchObject({
      hasOwnScope: false,
      scopeId: account.scopeId,
    })

    // The administrator gives the role like any other.
    const tenant = await createUser(app, account, [{ roleId: viewer }])
    await admin.api.user.updateAccess({
      userId: tenant.id,
      version: 1,
      access: [{ scopeId, roleId: viewer, isMain: true }],
    })
    const { api, token } = await app.login(tenant.username)
    expect(await seenBy(api)).toEqual(inHall)
    expect((await api.digitaltwin.children({ id: 0 })).items.map(({ title }) => title)).toEqual(['Hall'])
    expect(await errorOf(api.digitaltwin.get({ id: top.id }))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    using live = await openLive(app, token)
    expect([await follows(live, desk.id), await follows(live, top.id)]).toEqual(['subscribed', 'refused'])

    // Anyone with a role on the account still sees all of it.
    expect(await seenBy(admin.api)).toEqual(everything)
    expect(await seenBy(reader.api)).toEqual(everything)
    expect(await activityOf(hall.id)).toEqual(['createScope Hall'])
  })

  test('contains what is created below the twin later, and dashboards of the twins', async () => {
    const { account, hall, room, admin } = await works()
    const board = await admin.api.dashboards.create({
      name: 'Climate',
      accountId: account.id,
      parentDtwinId: room.id,
    })
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
    await admin.api.digitaltwin.create({ title: 'Shelf', parentId: room.id })
    const { api } = await createUser(app, account, [{ roleId: viewer, scopeId }])
    expect((await seenBy(api)).twins).toEqual(['Desk', 'Hall', 'Room', 'Shelf'])
    expect((await api.dashboards.list({})).items.map(({ id }) => id)).toEqual([board.id])
  })

  test('can be nested in either order, and each is the child of the next above', async () => {
    for (const order of ['outer first', 'inner first'] as const) {
      const { account, hall, room, admin } = await works()
      const twins = order === 'outer first' ? [hall, room] : [room, hall]
      for (const { id } of twins) await admin.api.digitaltwin.createScope({ id })
      const { items } = await admin.api.acl.listScopes()
      const scopeOf = (twinId: number) => items.find((scope) => scope.twinId === twinId)
      const [outer, inner] = [scopeOf(hall.id), scopeOf(room.id)]
      expect([outer?.parentId, inner?.parentId], order).toEqual([account.scopeId, outer?.id])
      const [seesHall, seesRoom] = [
        await createUser(app, account, [{ roleId: viewer, scopeId: outer?.id ?? 0 }]),
        await createUser(app, account, [{ roleId: viewer, scopeId: inner?.id ?? 0 }]),
      ]
      expect(await seenBy(seesHall.api), order).toEqual(inHall)
      expect(await seenBy(seesRoom.api), order).toEqual(inRoom)
    }
  })

  test('takes all of a large part of the tree, and gives it back', async () => {
    const { account, hall, admin } = await works()
    const count = 6_000
    await sql`
      insert into twins (category, account_id, scope_id, parent_id, title)
      select category, ${account.id}::int, ${account.scopeId}::int, ${hall.id}::int, 'Many ' || n
      from unnest(array['digitalTwin', 'virtualDevice']) as category, generate_series(1, ${count}::int) as n`.execute(
      app.ctx.db,
    )
    const inScope = async (id: number) => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from twins where scope_id = ${id} and title like 'Many %'`.execute(
        app.ctx.db,
      )
      return rows[0]?.count
    }
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
    expect(await inScope(scopeId)).toBe(2 * count)
    await admin.api.digitaltwin.deleteScope({ id: hall.id })
    expect(await inScope(account.scopeId)).toBe(2 * count)
  })

  test('is named like its twin', async () => {
    const { hall, admin } = await works()
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
    const twin = await admin.api.digitaltwin.get({ id: hall.id })
    await admin.api.digitaltwin.update({ ...twin, title: 'Great hall' })
    const { items } = await admin.api.acl.listScopes()
    expect(items.find(({ id }) => id === scopeId)?.name).toBe('Great hall')
  })

  test('takes nothing from a role that denies in it', async () => {
    const { account, hall, admin } = await works()
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
    const blind = await createRole(app, [
      { subject: 'DigitalTwin', actions: ['read', 'list'], inverted: true },
      { subject: 'VirtualDevice', actions: ['read', 'list'], inverted: true },
      { subject: 'DigitalTwinStates', actions: ['read'], inverted: true },
    ])
    const { api } = await createUser(app, account, [{ roleId: viewer }, { roleId: blind, scopeId }])
    expect(await seenBy(api)).toEqual(sight(['Works'], ['Gate']))
  })
})

describe('the way back', () => {
  test('puts everything into the scope above, and nested scopes below it', async () => {
    const { account, hall, room, admin, reader } = await works()
    const outer = await admin.api.digitaltwin.createScope({ id: hall.id })
    const inner = await admin.api.digitaltwin.createScope({ id: room.id })
    const guest = await createUser(app, account, [{ roleId: viewer, scopeId: inner.scopeId }])
    await admin.api.digitaltwin.deleteScope({ id: hall.id })
    const { items } = await admin.api.acl.listScopes()
    expect(items.map(({ id }) => id)).not.toContain(outer.scopeId)
    expect(items.find(({ id }) => id === inner.scopeId)?.parentId).toBe(account.scopeId)
    expect(await admin.api.digitaltwin.get({ id: hall.id })).toMatchObject({
      hasOwnScope: false,
      scopeId: account.scopeId,
    })
    expect(await seenBy(guest.api)).toEqual(inRoom)
    expect(await seenBy(reader.api)).toEqual(everything)
    expect(await activityOf(hall.id)).toEqual(['deleteScope Hall', 'createScope Hall'])
    const copies = sql<{ twins: number; states: number; devices: number; live: number }>`
      select (select count(*) from twins where scope_id = ${outer.scopeId}) as twins,
        (select count(*) from states where scope_id = ${outer.scopeId}) as states,
        (select count(*) from virtual_devices where scope_id = ${outer.scopeId}) as devices,
        (select count(*) from device_live where scope_id = ${outer.scopeId}) as live`
    expect((await copies.execute(app.ctx.db)).rows).toEqual([{ twins: 0, states: 0, devices: 0, live: 0 }])
  })

  test('is refused while users, keys or providers get roles on it, and says how many', async () => {
    const { account, hall, admin } = await works()
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
    const guest = await createUser(app, account, [{ roleId: viewer, scopeId }])
    const key = await admin.api.apikey.create({ title: 'Display', scopeId, roleId: viewer })
    expect(await errorOf(admin.api.digitaltwin.deleteScope({ id: hall.id }))).toMatchObject({
      code: 'SCOPE_IN_USE',
      status: 409,
      data: { users: 1, others: 1 },
    })
    expect(await seenBy(guest.api)).toEqual(inHall)
    await admin.api.user.delete({ id: guest.id })
    expect(await errorOf(admin.api.digitaltwin.deleteScope({ id: hall.id }))).toMatchObject({
      data: { users: 0, others: 1 },
    })
    await admin.api.apikey.delete({ id: key.key.id })
    await admin.api.digitaltwin.deleteScope({ id: hall.id })
    expect(await errorOf(admin.api.digitaltwin.deleteScope({ id: hall.id }))).toMatchObject({
      code: 'SCOPE_NOT_FOUND',
      status: 404,
    })
  })
})

test('a role cannot be given on a scope that is being removed', async () => {
  const { account, hall, desk, admin } = await works()
  const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
  const guest = await createUser(app, account, [{ roleId: viewer }])
  const waiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(app.ctx.db)
    return rows.length
  }
  const results = await app.ctx.db.transaction().execute(async (tx) => {
    await sql`select from twins where id = ${desk.id} for update`.execute(tx)
    const removing = admin.api.digitaltwin.deleteScope({ id: hall.id })
    await expect.poll(waiting).toBe(1)
    const access = [{ scopeId, roleId: viewer, isMain: true }]
    const giving = errorOf(admin.api.user.updateAccess({ userId: guest.id, version: 1, access }))
    await expect.poll(waiting).toBe(2)
    return { removing, giving }
  })
  expect(await results.removing).toEqual({ ok: true })
  expect(await results.giving).toMatchObject({ code: 'SCOPE_NOT_FOUND' })
  expect(await seenBy(guest.api)).toEqual(everything)
})

describe('background jobs of devices in it', () => {
  const jobOf = async (api: Api, scopeId: number) => {
    const { items } = await api.virtualdevice.list({ search_items: 'Lamp' })
    const job = await api.bulk.edit({
      title: 'Describe',
      selection: { ids: [items[0]?.id ?? 0] },
      mode: { kind: 'edit', changes: { description: 'dim' } },
    })
    const { rows } = await sql`select scope_id, asker -> 'scopeIds' as asked from background_jobs
      where id = ${job.id}`.execute(app.ctx.db)
    expect(rows).toEqual([{ scope_id: scopeId, asked: [scopeId] }])
    return job.id
  }

  test.each(['the way back', 'the deletion of the twin'] as const)('are kept on %s', async (how) => {
    const { account, desk, admin } = await works()
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: desk.id })
    const id = await jobOf(admin.api, scopeId)
    if (how === 'the way back') await admin.api.digitaltwin.deleteScope({ id: desk.id })
    else {
      const { items } = await admin.api.virtualdevice.list({ search_items: 'Lamp' })
      await admin.api.virtualdevice.delete({ id: items[0]?.id ?? 0 })
      await admin.api.digitaltwin.delete({ id: desk.id })
    }
    const { rows } = await sql`select scope_id, asker -> 'scopeIds' as asked from background_jobs
      where id = ${id}`.execute(app.ctx.db)
    expect(rows).toEqual([{ scope_id: account.scopeId, asked: [account.scopeId] }])
  })
})

describe('deleting the twin', () => {
  test('is refused while roles are given on its scope, and names who has them to managers of users', async () => {
    const { account, desk, admin } = await works()
    const lamp = (await admin.api.virtualdevice.list({ search_items: 'Lamp' })).items[0]
    await admin.api.virtualdevice.delete({ id: lamp?.id ?? 0 })
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: desk.id })
    const operator = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
    const guest = await createUser(app, account, [{ roleId: viewer, scopeId }])
    const holder = {
      kind: 'scopeUser',
      id: guest.id,
      title: guest.username,
      blocking: true,
      owner: { kind: 'account', id: account.id },
    }
    expect(await admin.api.digitaltwin.dependencies({ id: desk.id })).toEqual({
      blocking: true,
      items: [holder],
      more: false,
    })
    expect(await operator.api.digitaltwin.dependencies({ id: desk.id })).toEqual({
      blocking: true,
      items: [],
      more: true,
    })
    for (const [{ api }, items] of [
      [admin, [holder]],
      [operator, []],
    ] as const)
      expect(await errorOf(api.digitaltwin.delete({ id: desk.id }))).toMatchObject({
        code: 'DTWIN_DELETE_HAS_DEPENDENCIES',
        data: { items },
      })
    await admin.api.user.delete({ id: guest.id })
    await operator.api.digitaltwin.delete({ id: desk.id })
    expect((await admin.api.acl.listScopes()).items.map(({ id }) => id)).not.toContain(scopeId)
  })
})

describe('is refused', () => {
  test('a second time', async () => {
    const { hall, admin } = await works()
    const results = await Promise.allSettled([
      admin.api.digitaltwin.createScope({ id: hall.id }),
      admin.api.digitaltwin.createScope({ id: hall.id }),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await errorOf(admin.api.digitaltwin.createScope({ id: hall.id }))).toMatchObject({
      code: 'SCOPE_DUPLICATE',
      status: 409,
    })
  })

  test('for a device', async () => {
    const { account, admin } = await works()
    const { id } = await place(account, 'Sensor', undefined, 'virtualDevice')
    expect(await errorOf(admin.api.digitaltwin.createScope({ id }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
  })

  test('in another account, as if there were no such twin', async () => {
    const { hall, admin } = await works()
    const stranger = (await works()).admin
    await admin.api.digitaltwin.createScope({ id: hall.id })
    for (const call of [stranger.api.digitaltwin.createScope, stranger.api.digitaltwin.deleteScope]) {
      const { data: _, ...foreign } = await errorOf(call({ id: hall.id }))
      const { data: __, ...missing } = await errorOf(call({ id: 2_000_000_000 }))
      expect(foreign).toEqual(missing)
      expect(foreign).toMatchObject({ code: 'DTWIN_NOT_FOUND', status: 404 })
    }
  })

  test('without managing users where the twin is, even if one does elsewhere', async () => {
    const { account, hall, room, admin } = await works()
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: room.id })
    const operator = await roleNamed(app, 'Operator')
    const inRoomOnly = await createUser(app, account, [
      { roleId: operator },
      { roleId: administrator, scopeId },
    ])
    for (const call of [
      () => inRoomOnly.api.digitaltwin.createScope({ id: hall.id }),
      // Otherwise they would lose their own access and give others theirs.
      () => inRoomOnly.api.digitaltwin.deleteScope({ id: room.id }),
    ])
      expect(await errorOf(call())).toMatchObject({
        code: 'NO_PERMISSION',
        data: { subject: 'UserManagement', action: 'manage' },
      })
    const managesUsers = await createRole(app, [
      { subject: 'UserManagement', actions: ['manage'] },
      { subject: 'DigitalTwin', actions: ['read'] },
    ])
    const { api } = await createUser(app, account, [{ roleId: managesUsers }])
    expect(await errorOf(api.digitaltwin.createScope({ id: hall.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
  })
})

test('a twin created below at the same time ends up in the scope of its parent', async () => {
  const { account, hall, room, admin } = await works()
  const created = Array.from({ length: 5 }, (_, n) =>
    admin.api.digitaltwin.create({ title: `New ${n}`, parentId: room.id }),
  )
  const [{ scopeId }] = await Promise.all([admin.api.digitaltwin.createScope({ id: hall.id }), ...created])
  const { items } = await admin.api.digitaltwin.list({ search: 'New', limit: 100 })
  expect(items.map((twin) => twin.scopeId)).toEqual(items.map(() => scopeId))
  await admin.api.digitaltwin.deleteScope({ id: hall.id })
  const after = await admin.api.digitaltwin.list({ limit: 100 })
  expect(after.items.map((twin) => twin.scopeId)).toEqual(after.items.map(() => account.scopeId))
})

describe('the preview of a move', () => {
  const named = ({ items }: { items: { title: string }[] }) => items.map(({ title }) => title)

  test('says how many twins and devices move, and who gains, loses or has other roles', async () => {
    const { account, top, hall, room, admin } = await works()
    const annexe = await admin.api.digitaltwin.create({ title: 'Annexe', accountId: account.id })
    const { scopeId: inHallScope } = await admin.api.digitaltwin.createScope({ id: hall.id })
    const { scopeId: inAnnexe } = await admin.api.digitaltwin.createScope({ id: annexe.id })
    const usernameOf = async (user: { id: number }) => (await app.api.user.get({ id: user.id })).username
    const onHall = await createUser(app, account, [{ roleId: viewer, scopeId: inHallScope }])
    const onAnnexe = await createUser(app, account, [{ roleId: viewer, scopeId: inAnnexe }])
    const onBoth = await createUser(app, account, [
      { roleId: viewer, scopeId: inHallScope },
      { roleId: viewer, scopeId: inAnnexe },
    ])
    const preview = await admin.api.digitaltwin.movePreview({ id: room.id, parentId: annexe.id })
    expect(named(preview.gains)).toEqual([await usernameOf(onAnnexe)])
    expect(named(preview.loses)).toEqual([await usernameOf(onHall)])
    expect(named(preview.changes)).toEqual([await usernameOf(onBoth)])
    expect(preview.twins).toBe(2)

    // Users with a role on the account keep it; to the top, nobody gains one.
    const up = await admin.api.digitaltwin.movePreview({ id: room.id })
    expect([up.gains.total, up.loses.total]).toEqual([0, 2])
    // A scope of its own moves with the twin.
    const whole = await admin.api.digitaltwin.movePreview({ id: hall.id, parentId: annexe.id })
    expect(named(whole.loses)).toEqual([])
    expect(named(whole.gains)).toEqual([await usernameOf(onAnnexe)])
    const within = await admin.api.digitaltwin.movePreview({ id: room.id, parentId: hall.id })
    expect([within.gains.total, within.loses.total, within.changes.total]).toEqual([0, 0, 0])
    expect(
      await errorOf(admin.api.digitaltwin.movePreview({ id: hall.id, parentId: room.id })),
    ).toMatchObject({
      code: 'DTWIN_MOVE_TO_DESCENDANT',
    })
    expect(top.id).toBeGreaterThan(0)
  })

  test('counts those the caller may not know about without naming them', async () => {
    const { account, hall, room, admin } = await works()
    const { scopeId } = await admin.api.digitaltwin.createScope({ id: hall.id })
    await createUser(app, account, [{ roleId: viewer, scopeId }])
    const operator = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
    const preview = await operator.api.digitaltwin.movePreview({ id: room.id })
    expect(preview.loses).toEqual({ items: [], total: 1 })
  })
})
