import type { RoleRule } from '@leitstand/contract/permissions'
import { deliveredRoles, RoleKey } from '@leitstand/contract/roles'
import { beforeAll, describe, expect, test } from 'vitest'
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

const manageUsers: RoleRule = { subject: 'UserManagement', actions: ['manage'] }
const everything: RoleRule = { subject: 'all', actions: ['manage'] }

async function administered() {
  const account = await createAccount(app)
  const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  return { account, ...admin }
}

const lines = (...rules: RoleRule[]) => rules.map(({ subject, actions }) => ({ subject, actions }))

describe('a role', () => {
  test('is created, changed and deleted in an account, and each is in the log', async () => {
    const { account, api } = await administered()
    const rules = lines({ subject: 'VirtualDevice', actions: ['read'] })
    const role = await api.acl.createRole({ accountId: account.id, name: 'Reader', rules })
    expect(role).toMatchObject({ name: 'Reader', editable: true, users: 0, version: 1 })
    const changed = await api.acl.updateRole({ ...role, name: 'Looker', icon: 'key' })
    expect(changed).toMatchObject({ name: 'Looker', icon: 'key', version: 2 })
    expect(await errorOf(api.acl.updateRole({ ...role, name: 'Third' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
      status: 409,
    })
    await api.acl.deleteRole({ id: role.id })
    const log = await api.activityLog.list({ subject: 'Role' })
    expect(log.items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
    expect(log.items[1]?.changes).toEqual({ name: ['Reader', 'Looker'], icon: [null, 'key'] })
  })

  test('of the platform has a key until somebody writes texts of his own', async () => {
    const { items } = await app.api.acl.listRoles({ limit: 1000 })
    for (const key of [...RoleKey.options.slice(0, 9), 'warningViewer', 'assetViewer'] as const)
      expect(items.filter((role) => role.key === key)).toMatchObject([
        { name: deliveredRoles[key], accountId: null },
      ])
    const role = items.find(({ key }) => key === 'keyHolder')
    if (!role) throw new Error('no such role')
    const lined = await app.api.acl.updateRole({ ...role, icon: 'door' })
    expect(lined).toMatchObject({ key: 'keyHolder', icon: 'door' })
    const described = await app.api.acl.updateRole({ ...lined, description: 'Opens the cellar' })
    expect(described).toMatchObject({ name: 'Key holder', key: null })
    const back = await app.api.acl.updateRole({ ...described, description: role.description })
    expect(back.key).toBeNull()
    const { account } = await administered()
    const own = await app.api.acl.createRole({ accountId: account.id, name: 'Viewer', rules: [] })
    expect(own.key).toBeNull()
  })

  test('has a name of its own within its account', async () => {
    const { account, api } = await administered()
    const role = { accountId: account.id, name: 'Night shift', rules: [] }
    await api.acl.createRole(role)
    expect(await errorOf(api.acl.createRole(role))).toMatchObject({ code: 'ABAC_ROLE_CREATE_DUPLICATE_NAME' })
    const other = await administered()
    await other.api.acl.createRole({ ...role, accountId: other.account.id })
  })

  test('of another account is not there', async () => {
    const [mine, theirs] = [await administered(), await administered()]
    const role = await theirs.api.acl.createRole({ accountId: theirs.account.id, name: 'Secret', rules: [] })
    const missing = { code: 'ABAC_ROLE_NOT_FOUND', status: 404 }
    expect(await errorOf(mine.api.acl.updateRole(role))).toMatchObject(missing)
    expect(await errorOf(mine.api.acl.deleteRole({ id: role.id }))).toMatchObject(missing)
    const { items } = await mine.api.acl.listRoles({})
    expect(items.map(({ name }) => name)).not.toContain('Secret')
    const there = mine.api.acl.createRole({ accountId: theirs.account.id, name: 'Mine', rules: [] })
    expect(await errorOf(there)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })

  test('that is offered to all is changed by system administrators only', async () => {
    const { api } = await administered()
    const viewer = (await api.acl.listRoles({})).items.find(({ name }) => name === 'Viewer')
    if (!viewer) throw new Error('no viewer')
    expect(viewer.editable).toBe(false)
    expect(await errorOf(api.acl.updateRole({ ...viewer, description: 'x' }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(await errorOf(api.acl.createRole({ accountId: null, name: 'For all', rules: [] }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const own = (await app.api.acl.listRoles({})).items.find(({ name }) => name === 'Viewer')
    expect(own?.editable).toBe(true)
  })

  test('of the super administrator stays as it is', async () => {
    const { items } = await app.api.acl.listRoles({})
    const role = items.find(({ isSuper }) => isSuper)
    if (!role) throw new Error('no super administrator')
    expect(await errorOf(app.api.acl.deleteRole({ id: role.id }))).toMatchObject({
      code: 'ABAC_ROLE_DELETE_SUPERSYSADMIN',
      status: 409,
    })
    expect(await errorOf(app.api.acl.updateRole({ ...role, rules: [] }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
  })

  test('that somebody has cannot be deleted, as it may be one that takes away', async () => {
    const { account, api } = await administered()
    const role = await api.acl.createRole({ accountId: account.id, name: 'In use', rules: [] })
    await createUser(app, account, [{ roleId: role.id }])
    expect(await errorOf(api.acl.deleteRole({ id: role.id }))).toMatchObject({
      code: 'ABAC_ROLE_DELETE_IN_USE',
    })
    const { items } = await api.acl.listRoles({})
    expect(items.find(({ id }) => id === role.id)?.users).toBe(1)
  })
})

describe('nobody gives more than he has', () => {
  test('not by a role with more in it', async () => {
    const account = await createAccount(app)
    const roleId = await createRole(app, [
      everything,
      { subject: 'VirtualDevice', actions: ['create'], inverted: true },
    ])
    const { api } = await createUser(app, account, [{ roleId }])
    const more = [{ subject: 'VirtualDevice' as const, actions: ['create' as const] }]
    expect(
      await errorOf(api.acl.createRole({ accountId: account.id, name: 'More', rules: more })),
    ).toMatchObject({
      code: 'NO_PERMISSION',
      data: { subject: 'VirtualDevice', action: 'create' },
    })
    const less = await api.acl.createRole({ accountId: account.id, name: 'Less', rules: [] })
    expect(await errorOf(api.acl.updateRole({ ...less, rules: more }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const all = [{ subject: 'all' as const, actions: ['manage' as const] }]
    expect(await errorOf(api.acl.updateRole({ ...less, rules: all }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
  })

  test('not by taking a line away that takes away', async () => {
    const account = await createAccount(app)
    const api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }]))
      .api
    const denying = [{ subject: 'super.system' as const, actions: ['manage' as const], inverted: true }]
    const role = await api.acl.createRole({ accountId: account.id, name: 'Denies', rules: denying })
    expect(await errorOf(api.acl.updateRole({ ...role, rules: [] }))).toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('not as a default of new users', async () => {
    const account = await createAccount(app)
    const api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }]))
      .api
    const wanted = { scopeId: account.scopeId, roleIds: [await roleNamed(app, 'System administrator')] }
    expect(await errorOf(api.scope.setDefaultRoles(wanted))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(api.scope.setDefaultRoles({ scopeId: app.rootScopeId, roleIds: [] }))).toMatchObject(
      { code: 'SCOPE_NOT_FOUND' },
    )
    const fine = { scopeId: account.scopeId, roleIds: [await roleNamed(app, 'Viewer')] }
    await api.scope.setDefaultRoles(fine)
    expect(await api.scope.listDefaultRoles({ scopeId: account.scopeId })).toEqual({
      roleIds: fine.roleIds,
      moduleRoleIds: [],
      twinScopes: [],
    })
  })
})

test('what a user may do is explained by the rule that decides, and hides accounts above', async () => {
  const account = await createAccount(app)
  const below = await createAccount(app, { parent: account })
  const denies = await createRole(app, [{ subject: 'Dashboards', actions: ['write'], inverted: true }])
  const user = await createUser(app, account, [
    { roleId: await roleNamed(app, 'Operator') },
    { roleId: denies, scopeId: below.scopeId },
  ])
  const asked = { userId: user.id, scopeId: below.scopeId }
  const { items } = await app.api.user.explainAccess(asked)
  const about = (subject: string, action: string) =>
    items.find((one) => one.subject === subject && one.action === action)
  expect(about('Dashboards', 'write')).toMatchObject({ allowed: false, because: { roleId: denies } })
  expect(about('Dashboards', 'read')).toMatchObject({
    allowed: true,
    because: { roleName: 'Operator', scopeName: account.name },
  })
  expect(about('IotHub', 'read')).toMatchObject({ allowed: false, because: null })
  // Every explanation matches the actual decision.
  const checks = items.map(({ subject, action }) => ({ subject, action, scopeId: below.scopeId }))
  const { results } = await user.api.acl.checkAccess({ checks })
  expect(items.map(({ allowed }) => allowed)).toEqual(results)

  const manager = await createUser(app, below, [{ roleId: await createRole(app, [manageUsers]) }])
  const seen = await manager.api.user.explainAccess(asked)
  const readable = seen.items.find(({ subject, action }) => subject === 'Dashboards' && action === 'read')
  expect(readable).toMatchObject({ allowed: true, because: { scopeName: '' } })
  expect(await errorOf(manager.api.user.explainAccess({ ...asked, scopeId: account.scopeId }))).toMatchObject(
    {
      code: 'SCOPE_NOT_FOUND',
    },
  )
})
