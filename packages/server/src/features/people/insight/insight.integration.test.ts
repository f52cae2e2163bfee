import { actions, subjects } from '@leitstand/contract/permissions'
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

async function administered() {
  const account = await createAccount(app)
  const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  return { account, ...admin }
}

describe('what a user may do', () => {
  test('is a tree of accounts and twins, loaded level by level and page by page', async () => {
    const { account, api } = await administered()
    const below = await createAccount(app, { parent: account, name: 'Below' })
    const twin = await api.digitaltwin.create({ accountId: account.id, title: 'Town hall' })
    const { scopeId } = await api.digitaltwin.createScope({ id: twin.id })
    const user = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }]) },
      {
        roleId: await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'], inverted: true }]),
        scopeId,
      },
    ])
    const whose = { of: 'user' as const, id: user.id }
    const top = await api.insight.tree(whose)
    expect(top).toMatchObject({
      total: 1,
      items: [
        {
          scopeId: account.scopeId,
          twinId: null,
          hasChildren: true,
          permissions: ['VirtualDevice.read'],
        },
      ],
    })
    expect(top.items[0]?.rolesHere).toHaveLength(1)
    const children = await api.insight.tree({ ...whose, parentId: account.scopeId })
    expect(children.items).toMatchObject([
      { name: below.name, hasChildren: false, rolesHere: [], permissions: ['VirtualDevice.read'] },
      { name: 'Town hall', twinId: twin.id, permissions: [] },
    ])
    const second = await api.insight.tree({ ...whose, parentId: account.scopeId, offset: 1, limit: 1 })
    expect([second.total, second.items.map(({ name }) => name)]).toEqual([2, ['Town hall']])
  })

  test('is what the server decides for every permission', async () => {
    const { account, api } = await administered()
    const user = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Operator') },
      { roleId: await createRole(app, [{ subject: 'Dashboards', actions: ['manage'], inverted: true }]) },
    ])
    const { items } = await api.insight.explain({ of: 'user', id: user.id, scopeId: account.scopeId })
    const pairs = subjects.flatMap((subject) => actions.map((action) => ({ subject, action })))
    const { results } = await user.api.acl.checkAccess({
      checks: pairs.map((pair) => ({ ...pair, scopeId: account.scopeId })),
    })
    expect(items.map(({ allowed }) => allowed)).toEqual(results)
  })
})

test('an API key has the rights of its role, an application at most its permissions', async () => {
  const { account, api } = await administered()
  const roleId = await roleNamed(app, 'Viewer')
  const { key } = await api.apikey.create({ title: 'Reader', scopeId: account.scopeId, roleId })
  const ask = (of: 'apiKey' | 'application', id: number, action: 'read' | 'manage') =>
    api.insight.ask({ of, id, subject: 'VirtualDevice', action, scopeId: account.scopeId })
  expect((await ask('apiKey', key.id, 'read')).explanation).toMatchObject({
    allowed: true,
    because: { roleKey: 'viewer' },
  })
  expect((await ask('apiKey', key.id, 'manage')).explanation.allowed).toBe(false)
  const { application } = await api.application.create({
    accountId: account.id,
    title: 'Charts',
    kind: 'public',
    redirectUris: ['https://charts.example.org/back'],
    scopes: ['openid', 'devices.read'],
  })
  expect((await ask('application', application.id, 'read')).explanation).toMatchObject({
    allowed: true,
    because: { roleId: null, roleName: 'Charts' },
  })
  expect((await ask('application', application.id, 'manage')).explanation.allowed).toBe(false)
})

describe('a refusal', () => {
  test('names the roles that would allow it and who could give them', async () => {
    const { account, api, id, username } = await administered()
    const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const helper = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'UserManagement', actions: ['manage'] }]) },
    ])
    const answer = await api.insight.ask({
      of: 'user',
      id: user.id,
      subject: 'DeviceDriver',
      action: 'manage',
      scopeId: account.scopeId,
    })
    expect(answer.explanation).toMatchObject({ allowed: false })
    expect(answer.roles.map(({ key }) => key)).toContain('accountAdministrator')
    expect(answer.roles.map(({ key }) => key)).not.toContain('viewer')
    // The helper manages users but lacks the permission.
    expect(answer.givers).toEqual({ items: [{ id, username }], total: 1 })
    expect(answer.givers.items.map((giver) => giver.id)).not.toContain(helper.id)
  })

  test('by a module that is off says so', async () => {
    const { account, api } = await administered()
    const { items } = await api.module.list({ accountId: account.id })
    const version = items.find(({ module }) => module === 'dashboards')?.version ?? 1
    await api.module.set({
      accountId: account.id,
      module: 'dashboards',
      version,
      enabled: false,
      toNewUsers: null,
    })
    const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const { explanation } = await api.insight.ask({
      of: 'user',
      id: user.id,
      subject: 'Dashboards',
      action: 'read',
      scopeId: account.scopeId,
    })
    expect(explanation).toMatchObject({ allowed: false, module: 'dashboards' })
  })
})

test('nobody looks into users, keys, applications or scopes they do not see', async () => {
  const [mine, theirs] = [await administered(), await administered()]
  const roleId = await roleNamed(app, 'Viewer')
  const { key } = await theirs.api.apikey.create({ title: 'Theirs', scopeId: theirs.account.scopeId, roleId })
  const { scopeId } = mine.account
  const at = { subject: 'all', action: 'manage', scopeId } as const
  for (const [of, id, code] of [
    ['user', theirs.id, 'USER_NOT_FOUND'],
    ['apiKey', key.id, 'API_KEY_NOT_FOUND'],
    ['application', 2_147_483_647, 'APPLICATION_NOT_FOUND'],
  ] as const) {
    expect(await errorOf(mine.api.insight.tree({ of, id }))).toMatchObject({ code })
    expect(await errorOf(mine.api.insight.explain({ of, id, scopeId }))).toMatchObject({ code })
    expect(await errorOf(mine.api.insight.ask({ of, id, ...at }))).toMatchObject({ code })
  }
  const whose = { of: 'user' as const, id: mine.id }
  const foreign = { code: 'SCOPE_NOT_FOUND' }
  const scope = theirs.account.scopeId
  expect(await errorOf(mine.api.insight.tree({ ...whose, parentId: scope }))).toMatchObject(foreign)
  expect(await errorOf(mine.api.insight.explain({ ...whose, scopeId: scope }))).toMatchObject(foreign)
  expect(await errorOf(mine.api.insight.ask({ ...whose, ...at, scopeId: scope }))).toMatchObject(foreign)
  // A name of an account above stays hidden, the reason does not.
  const guest = await createUser(app, mine.account, [{ roleId: await createRole(app, []) }])
  await app.ctx.db
    .insertInto('user_access')
    .values({ user_id: guest.id, scope_id: app.rootScopeId, role_id: roleId })
    .execute()
  const { explanation } = await mine.api.insight.ask({
    of: 'user',
    id: guest.id,
    subject: 'VirtualDevice',
    action: 'read',
    scopeId,
  })
  expect(explanation.because).toMatchObject({ scopeId: app.rootScopeId, scopeName: '' })
})
