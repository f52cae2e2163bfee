import type { ModuleKey } from '@leitstand/contract/permissions'
import { beforeAll, describe, expect, test } from 'vitest'
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
  testPassword,
} from '../../../../test/kit.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

async function moduleOf(api: Api, accountId: number, module: ModuleKey) {
  const { items } = await api.module.list({ accountId })
  const found = items.find((one) => one.module === module)
  if (!found) throw new Error(`no module ${module}`)
  return found
}

type Change = Partial<{ enabled: boolean; toNewUsers: boolean | null }>

async function change(api: Api, accountId: number, module: ModuleKey, wanted: Change) {
  const { version, enabled, toNewUsers } = await moduleOf(api, accountId, module)
  return api.module.set({ accountId, module, version, enabled, toNewUsers, ...wanted })
}

const dashboardOf = async (accountId: number) => app.api.dashboards.create({ name: 'Board', accountId })

/** Parent and child, an administrator of each, and a viewer in the child. */
async function family() {
  const parent = await createAccount(app)
  const child = await createAccount(app, { parent })
  const adminRole = await roleNamed(app, 'Account administrator')
  const [above, admin] = [
    await createUser(app, parent, [{ roleId: adminRole }]),
    await createUser(app, child, [{ roleId: adminRole }]),
  ]
  const viewer = await createUser(app, child, [{ roleId: await roleNamed(app, 'Viewer') }])
  return { parent, child, above, admin, viewer }
}

describe('a module that is switched off', () => {
  test('takes its permissions from everybody in the account at once, and gives them back', async () => {
    const { child, admin, viewer } = await family()
    const elsewhere = await createAccount(app)
    const other = await createUser(app, elsewhere, [{ roleId: await roleNamed(app, 'Viewer') }])
    await dashboardOf(child.id)
    expect((await viewer.api.dashboards.list({})).total).toBe(1)
    const roles = await app.api.acl.listRoles({})

    expect(await change(admin.api, child.id, 'dashboards', { enabled: false })).toMatchObject({
      enabled: false,
      effective: false,
      version: 2,
    })
    expect(await errorOf(viewer.api.dashboards.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
    expect((await viewer.api.auth.verify({})).access?.permissions).not.toContain('Dashboards.read')
    const checks = [{ subject: 'Dashboards' as const, action: 'read' as const }]
    expect((await viewer.api.acl.checkAccess({ checks })).results).toEqual([false])
    expect((await other.api.acl.checkAccess({ checks })).results).toEqual([true])
    // System administrators have no dashboards there either, and roles are unchanged.
    expect((await app.api.dashboards.list({ accountIds: [child.id] })).total).toBe(0)
    expect(await app.api.acl.listRoles({})).toEqual(roles)

    await change(admin.api, child.id, 'dashboards', { enabled: true })
    expect((await viewer.api.dashboards.list({})).total).toBe(1)
  })

  test('is off for keys of programs too', async () => {
    const { child, admin } = await family()
    const made = await admin.api.apikey.create({
      title: 'Display',
      scopeId: child.scopeId,
      roleId: await roleNamed(app, 'Viewer'),
      callsPerMinute: 100,
      validFrom: null,
      validUntil: null,
    })
    const look = async () =>
      (await fetch(`${app.url}/api/dashboards`, { headers: { 'x-api-key': made.token } })).status
    expect(await look()).toBe(200)
    await change(admin.api, child.id, 'dashboards', { enabled: false })
    expect(await look()).toBe(403)
  })

  test('is named when somebody asks why', async () => {
    const { child, admin, viewer } = await family()
    await change(admin.api, child.id, 'dashboards', { enabled: false })
    const { items } = await admin.api.user.explainAccess({ userId: viewer.id, scopeId: child.scopeId })
    const reading = items.filter(({ action }) => action === 'read')
    expect(reading.find(({ subject }) => subject === 'Dashboards')).toMatchObject({
      allowed: false,
      module: 'dashboards',
      because: { roleName: 'Viewer' },
    })
    expect(reading.find(({ subject }) => subject === 'VirtualDevice')).toMatchObject({
      allowed: true,
      module: null,
    })
  })

  test('is off below as well, and nobody there switches it on', async () => {
    const { parent, child, above, admin, viewer } = await family()
    await change(above.api, parent.id, 'dashboards', { enabled: false })
    expect(await moduleOf(admin.api, child.id, 'dashboards')).toMatchObject({
      // The child may not see which account decided.
      enabled: true,
      effective: false,
      offAbove: { name: '' },
    })
    expect(await errorOf(viewer.api.dashboards.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
    await change(admin.api, child.id, 'dashboards', { enabled: false })
    expect(await errorOf(change(admin.api, child.id, 'dashboards', { enabled: true }))).toMatchObject({
      code: 'MODULE_OFF_ABOVE',
      status: 409,
    })
    expect((await moduleOf(above.api, child.id, 'dashboards')).offAbove).toEqual({ name: parent.name })
  })

  test('by an administrator from above stays off in the account', async () => {
    const { child, above, admin } = await family()
    await change(above.api, child.id, 'dashboards', { enabled: false })
    expect(await errorOf(change(admin.api, child.id, 'dashboards', { enabled: true }))).toMatchObject({
      code: 'MODULE_OFF_ABOVE',
    })
    expect((await change(above.api, child.id, 'dashboards', { enabled: true })).effective).toBe(true)
  })

  test('lets nobody give meanwhile what he would lack once it is on', async () => {
    const { child, admin } = await family()
    await change(admin.api, child.id, 'facility', { enabled: false })
    const roleId = await createRole(app, [{ subject: 'UserManagement', actions: ['manage', 'create'] }])
    const manager = await createUser(app, child, [{ roleId }])
    const keyHolder = await roleNamed(app, 'Key holder')
    const person = { username: 'kim', email: 'kim@example.org', accountId: child.id, invite: false }
    const wanted = { ...person, access: [{ scopeId: child.scopeId, roleId: keyHolder, isMain: true }] }
    expect(await errorOf(manager.api.user.create(wanted))).toMatchObject({
      code: 'NO_PERMISSION',
      data: { subject: 'IsFmAccess' },
    })
    // An account administrator can still grant such roles and administer the users who have them.
    const made = await admin.api.user.create(wanted)
    expect(made.editable).toBe(true)
  })

  test('hides the data hub by its flag', async () => {
    const { child, viewer } = await family()
    expect((await viewer.api.auth.verify({})).featureFlags.flags.hideIotHub).toBe(false)
    await change(app.api, child.id, 'classicHub', { enabled: false })
    expect((await viewer.api.auth.verify({})).featureFlags.flags.hideIotHub).toBe(true)
  })
})

describe('who may switch', () => {
  test('certain modules: administrators of the installation alone', async () => {
    const { child, admin } = await family()
    expect((await moduleOf(admin.api, child.id, 'warnapp')).editable).toBe(false)
    expect(await errorOf(change(admin.api, child.id, 'warnapp', { enabled: false }))).toMatchObject({
      code: 'NO_PERMISSION',
      data: { subject: 'super.system' },
    })
    expect((await change(app.api, child.id, 'warnapp', { enabled: false })).editable).toBe(true)
  })

  test('nobody outside of the account; others are told nothing of it', async () => {
    const { child, viewer } = await family()
    const { admin: stranger } = await family()
    const input = {
      accountId: child.id,
      module: 'facility',
      version: 1,
      enabled: false,
      toNewUsers: null,
    } as const
    expect(await errorOf(stranger.api.module.set(input))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await errorOf(stranger.api.module.list({ accountId: child.id }))).toMatchObject({
      status: 404,
    })
    expect(await errorOf(viewer.api.module.set(input))).toMatchObject({ code: 'NO_PERMISSION' })
    expect((await viewer.api.module.rules()).items.map(({ module }) => module)).toContain('facility')
    expect(await errorOf(createApi(app.url).module.rules())).toMatchObject({ status: 401 })
  })

  test('one after the other: an old version is refused, and each change is in the log', async () => {
    const { child, admin } = await family()
    const input = {
      accountId: child.id,
      module: 'facility',
      version: 1,
      enabled: false,
      toNewUsers: null,
    } as const
    await admin.api.module.set(input)
    for (const version of [1, 3])
      expect(await errorOf(admin.api.module.set({ ...input, version }))).toMatchObject({
        code: 'VERSION_CONFLICT',
      })
    await admin.api.module.set({ ...input, version: 2, enabled: true, toNewUsers: true })
    const { items } = await admin.api.activityLog.list({ subject: 'Module' })
    expect(items.map(({ changes }) => changes)).toEqual([
      { module: 'facility', enabled: [false, true], toNewUsers: [null, true] },
      { module: 'facility', enabled: [true, false] },
    ])
  })
})

describe('a module given to new users', () => {
  const permissionsOf = async (username: string) => {
    const { db } = app.ctx
    const { password_hash } = await db
      .selectFrom('users')
      .select('password_hash')
      .where('username', '=', app.ctx.config.adminEmail)
      .executeTakeFirstOrThrow()
    await db.updateTable('users').set({ password_hash }).where('username', '=', username).execute()
    const { api } = await app.login(username, testPassword)
    return (await api.auth.verify({})).access?.permissions ?? []
  }

  test('comes with a role, in the account and below, as long as it is on', async () => {
    const { parent, child, above } = await family()
    await change(above.api, parent.id, 'assets', { toNewUsers: true })
    const { moduleRoleIds } = await above.api.scope.listDefaultRoles({ scopeId: child.scopeId })
    expect(moduleRoleIds).toHaveLength(1)
    const person = { accountId: child.id, invite: false }
    await above.api.user.create({ ...person, username: 'new1', email: 'new1@example.org' })
    expect(await permissionsOf('new1')).toEqual(['IsAssetMgmt.read', 'IsAssetMgmt.list'])
    const role = (await app.api.acl.listRoles({})).items.find(({ id }) => id === moduleRoleIds[0])
    expect(await errorOf(app.api.acl.deleteRole({ id: role?.id ?? 0 }))).toMatchObject({
      code: 'ABAC_ROLE_DELETE_IN_USE',
    })
    await change(above.api, child.id, 'assets', { toNewUsers: false })
    const after = await above.api.scope.listDefaultRoles({ scopeId: child.scopeId })
    expect(after).toEqual({ roleIds: [], moduleRoleIds: [], twinScopes: [] })
  })
})
