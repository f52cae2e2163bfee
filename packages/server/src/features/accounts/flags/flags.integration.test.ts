import { beforeAll, expect, test } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

async function family() {
  const above = await createAccount(app)
  const below = await createAccount(app, { parent: above })
  const viewer = await createUser(app, below, [{ roleId: await roleNamed(app, 'Viewer') }])
  const flags = async () => (await viewer.api.auth.verify({})).featureFlags.flags
  return { above, below, viewer, flags }
}

test('a flag of an account reaches the users below it at the next verify, unless set there', async () => {
  const { above, below, flags } = await family()
  expect(await flags()).toMatchObject({ rulesMonitor: true, deviceTypes: false })
  await app.api.flags.set({ id: above.id, flag: 'rulesMonitor', enabled: false })
  expect(await flags()).toMatchObject({ rulesMonitor: false })
  const { items } = await app.api.flags.set({ id: below.id, flag: 'rulesMonitor', enabled: true })
  expect(items.find(({ flag }) => flag === 'rulesMonitor')).toEqual({
    flag: 'rulesMonitor',
    own: true,
    inherited: false,
    effective: true,
    source: 'own',
  })
  expect(await flags()).toMatchObject({ rulesMonitor: true })
  await app.api.flags.set({ id: below.id, flag: 'rulesMonitor', enabled: null })
  expect(await flags()).toMatchObject({ rulesMonitor: false })
  const log = await app.api.activityLog.list({ subject: 'Tenant', objectId: below.id })
  expect(log.items[0]).toMatchObject({ action: 'update', changes: { 'flag.rulesMonitor': [true, null] } })
})

test('the data hub is hidden by its flag, or where its module is off', async () => {
  const { above, flags } = await family()
  const before = (await flags()).hideIotHub
  await app.api.flags.set({ id: above.id, flag: 'hideIotHub', enabled: true })
  expect([before, (await flags()).hideIotHub]).toEqual([false, true])
})

test('flags this version does not know are kept away, and not set', async () => {
  const { above, below, flags } = await family()
  await app.ctx.db
    .insertInto('feature_flags')
    .values({ account_id: above.id, flag: 'fromTheFuture', enabled: true })
    .execute()
  expect(Object.keys(await flags()).sort()).toEqual([
    'deviceTypes',
    'hasAccessKeys',
    'hideIotHub',
    'rulesMonitor',
  ])
  expect((await app.api.flags.list({ id: below.id })).items.map(({ flag }) => flag)).not.toContain(
    'fromTheFuture',
  )
  const unknown = app.api.flags.set({ id: below.id, flag: '__proto__' as 'deviceTypes', enabled: true })
  expect(await errorOf(unknown)).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
})

test('the list of accounts has each with its flags, and where their values come from', async () => {
  const above = await createAccount(app, { name: 'Häfen 100%' })
  const below = await createAccount(app, { name: 'Häfen 100% Süd', parent: above })
  await app.api.flags.set({ id: above.id, flag: 'rulesMonitor', enabled: false })
  await app.api.flags.set({ id: below.id, flag: 'deviceTypes', enabled: true })
  const { items, total } = await app.api.flags.accounts({ search: 'hafen 100%' })
  expect(total).toBe(2)
  expect(items.map(({ name, parent }) => [name, parent?.name ?? null])).toEqual([
    ['Häfen 100%', expect.any(String)],
    ['Häfen 100% Süd', 'Häfen 100%'],
  ])
  const sources = items.map(({ flags }) =>
    Object.fromEntries(flags.map(({ flag, effective, source }) => [flag, [effective, source]])),
  )
  expect(sources).toEqual([
    { rulesMonitor: [false, 'own'], deviceTypes: [false, 'default'], hideIotHub: [false, 'default'] },
    { rulesMonitor: [false, 'above'], deviceTypes: [true, 'own'], hideIotHub: [false, 'default'] },
  ])
  const page = await app.api.flags.accounts({ search: 'hafen 100%', offset: 1, limit: 1 })
  expect([page.items.map(({ id }) => id), page.total]).toEqual([[below.id], 2])
  const set = await app.api.flags.accounts({ search: 'hafen', setHere: ['deviceTypes'] })
  expect(set.items.map(({ id }) => id)).toEqual([below.id])
})

test('who administers the installation in one branch sees the flags of that branch, and nothing above', async () => {
  const { above, below } = await family()
  const roleId = await createRole(app, [{ subject: 'super.system', actions: ['manage'] }])
  const admin = await createUser(app, below, [{ roleId }])
  const { items, total } = await admin.api.flags.accounts({})
  expect([items.map(({ id }) => id), total]).toEqual([[below.id], 1])
  expect(items[0]?.parent).toBeNull()
  for (const id of [above.id, app.rootAccountId]) {
    const set = admin.api.flags.set({ id, flag: 'rulesMonitor', enabled: false })
    expect(await errorOf(set)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  }
})
