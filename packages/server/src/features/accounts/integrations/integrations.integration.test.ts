import { beforeAll, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'

const clock = new FakeClock('2026-05-04T10:00:00.000Z')
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

/** Grandparent, parent and child, and an administrator of each of the last two. */
async function family() {
  const grandparent = await createAccount(app)
  const parent = await createAccount(app, { parent: grandparent })
  const child = await createAccount(app, { parent })
  const roleId = await roleNamed(app, 'Account administrator')
  return {
    grandparent,
    parent,
    child,
    admin: await createUser(app, parent, [{ roleId }]),
    below: await createUser(app, child, [{ roleId }]),
  }
}
const timeSeries = 'timeSeries' as const

test('is activated by typing the name, holds below, and is told in the log', async () => {
  const { parent, child, admin, below } = await family()
  const list = () => admin.api.tenant.listIntegrations({ id: parent.id })
  const other = { integration: 'dashboardInstance', active: false, since: null, by: null, from: null }
  expect((await list()).items).toEqual([{ ...other, integration: timeSeries }, other])
  const wanted = { id: parent.id, integration: timeSeries }
  for (const name of ['', child.name, parent.name.toUpperCase()])
    expect(await errorOf(admin.api.tenant.activateIntegration({ ...wanted, name }))).toMatchObject({
      code: 'INTEGRATION_NAME_DIFFERS',
      status: 422,
    })
  const activated = await admin.api.tenant.activateIntegration({ ...wanted, name: parent.name })
  expect(activated).toEqual({
    integration: timeSeries,
    active: true,
    since: '2026-05-04T10:00:00.000Z',
    by: admin.username,
    from: null,
  })
  expect((await list()).items).toEqual([activated, other])
  const { items } = await admin.api.activityLog.list({ subject: 'Tenant', action: 'activate' })
  expect(items).toMatchObject([{ objectId: parent.id, changes: { integration: [null, timeSeries] } }])

  // The account above sees who activated it and where; the one below only that it is active.
  expect((await admin.api.tenant.listIntegrations({ id: child.id })).items).toEqual([
    { ...activated, from: { name: parent.name } },
    other,
  ])
  expect((await below.api.tenant.listIntegrations({ id: child.id })).items).toEqual([
    { ...activated, by: null, from: { name: '' } },
    other,
  ])
})

test('is activated once: not again, not below, and does not hold up deleting', async () => {
  const { parent, child, admin, below } = await family()
  const activate = (account: { id: number; name: string }, api = admin.api) =>
    api.tenant.activateIntegration({ id: account.id, integration: timeSeries, name: account.name })
  // Two concurrent calls: only one activates it.
  const both = await Promise.allSettled([activate(parent), activate(parent)])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  for (const [account, api] of [[parent], [child], [child, below.api]] as const)
    expect(await errorOf(activate(account, api))).toMatchObject({ code: 'INTEGRATION_ACTIVE', status: 409 })
  const alone = await createAccount(app)
  await activate(alone, app.api)
  expect(await app.api.tenant.delete({ id: alone.id, virtualDevices: 0 })).toEqual({ ok: true })
})

test('is nothing for those outside, nor for those who do not administer', async () => {
  const { parent, grandparent, admin } = await family()
  const { admin: stranger } = await family()
  const wanted = { id: parent.id, integration: timeSeries, name: parent.name }
  expect(await errorOf(stranger.api.tenant.activateIntegration(wanted))).toMatchObject({ status: 404 })
  expect(await errorOf(stranger.api.tenant.listIntegrations({ id: parent.id }))).toMatchObject({
    status: 404,
  })
  const over = { ...wanted, id: grandparent.id, name: grandparent.name }
  expect(await errorOf(admin.api.tenant.activateIntegration(over))).toMatchObject({ status: 404 })
  const viewer = await createUser(app, parent, [{ roleId: await roleNamed(app, 'Viewer') }])
  expect(await errorOf(viewer.api.tenant.activateIntegration(wanted))).toMatchObject({ status: 403 })
})
