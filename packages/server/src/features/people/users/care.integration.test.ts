import { beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createApi,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { wrongMax } from '../lockout.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

async function administered(parent?: { id: number; scopeId: number }) {
  const account = await createAccount(app, parent ? { parent } : {})
  const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  return { account, ...admin }
}
const viewerIn = async (account: { id: number; scopeId: number }) =>
  createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])

const notFound = { code: 'USER_NOT_FOUND', status: 404 }
const more = { code: 'USER_MAY_DO_MORE', status: 403 }

const actionsOf = async (id: number) => {
  const { items } = await app.api.activityLog.list({ subject: 'User', objectId: id })
  return items.map(({ action }) => action)
}

describe('a user who cannot sign in', () => {
  test('is unlocked, also for the browser they have used before', async () => {
    const { account, api } = await administered()
    const user = await viewerIn(account)
    const guess = () => createApi(app.url).auth.login({ username: user.username, password: 'wrong guess' })
    for (let n = 0; n < wrongMax; n++) await errorOf(guess())
    expect(await errorOf(app.login(user.username))).toMatchObject({
      code: 'AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS',
    })
    expect((await api.user.get({ id: user.id })).lockedUntil).not.toBeNull()
    await api.user.unlock({ id: user.id })
    expect((await api.user.get({ id: user.id })).lockedUntil).toBeNull()
    await app.login(user.username)
    expect(await actionsOf(user.id)).toContain('unlock')
  })

  test('gets a link to set a password, at most three an hour, and keeps the password', async () => {
    const { account, api } = await administered()
    const user = await viewerIn(account)
    for (let n = 0; n < 3; n++) expect(await api.user.sendResetLink({ id: user.id })).toEqual({ ok: true })
    expect(await errorOf(api.user.sendResetLink({ id: user.id }))).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
    })
    // Mails to others may be newer: they are written beside the requests.
    await app.drain()
    const { items } = await app.api.mail.list({ limit: 100 })
    const address = `${user.username}@example.org`
    expect(items.filter(({ recipients }) => recipients.includes(address))).toHaveLength(3)
    // The password still works.
    await app.login(user.username)
    const invited = await api.user.create({
      username: `${user.username}-2`,
      email: `${user.username}-2@example.org`,
      accountId: account.id,
    })
    expect(await errorOf(api.user.sendResetLink({ id: invited.id }))).toMatchObject({
      code: 'USER_WITHOUT_PASSWORD',
    })
  })
})

describe('sessions of a user', () => {
  test('are listed, and ended one by one or all at once; the own current one stays', async () => {
    const { account, id, api } = await administered()
    const user = await viewerIn(account)
    const second = await app.login(user.username)
    const { items, total } = await api.user.listSessions({ id: user.id })
    expect([total, items.some(({ current }) => current)]).toEqual([2, false])
    const newest = items[0]?.id ?? 0
    await api.user.endSession({ id: user.id, sessionId: newest })
    expect(await errorOf(api.user.endSession({ id: user.id, sessionId: newest }))).toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
    expect(await api.user.endSessions({ id: user.id })).toEqual({ ended: 1 })
    for (const { api: gone } of [user, second])
      expect((await gone.auth.verify({})).isAuthenticated).toBe(false)
    expect(await api.user.endSessions({ id })).toEqual({ ended: 0 })
    expect((await api.auth.verify({})).isAuthenticated).toBe(true)
  })

  test('of another user are not ended through an id of this one', async () => {
    const { account, api } = await administered()
    const [user, other] = [await viewerIn(account), await viewerIn(account)]
    const { items } = await api.user.listSessions({ id: other.id })
    const crossed = api.user.endSession({ id: user.id, sessionId: items[0]?.id ?? 0 })
    expect(await errorOf(crossed)).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

test('nobody does any of this to users of other accounts, or to users who may do more', async () => {
  const mine = await administered()
  const theirs = await administered()
  const stranger = await viewerIn(theirs.account)
  const system = await createUser(app, mine.account, [
    { roleId: await roleNamed(app, 'System administrator') },
  ])
  for (const [id, refusal] of [
    [stranger.id, notFound],
    [system.id, more],
  ] as const) {
    const { api } = mine
    const calls = [
      () => api.user.unlock({ id }),
      () => api.user.sendResetLink({ id }),
      () => api.user.listSessions({ id }),
      () => api.user.endSession({ id, sessionId: 1 }),
      () => api.user.endSessions({ id }),
      () => api.user.previewMove({ id, accountId: mine.account.id }),
      () => api.user.move({ id, version: 1, accountId: mine.account.id }),
    ]
    for (const call of calls) expect(await errorOf(call())).toMatchObject(refusal)
  }
})

describe('moving a user', () => {
  async function twoAccounts() {
    const above = await administered()
    const [from, to] = [
      await createAccount(app, { parent: above.account }),
      await createAccount(app, { parent: above.account }),
    ]
    return { above, from, to }
  }

  test('replaces the roles there by the default roles here, as the preview says', async () => {
    const { above, from, to } = await twoAccounts()
    const [viewer, operator] = [await roleNamed(app, 'Viewer'), await roleNamed(app, 'Operator')]
    await above.api.scope.setDefaultRoles({ scopeId: to.scopeId, roleIds: [operator] })
    const elsewhere = await createAccount(app)
    const user = await createUser(app, from, [
      { roleId: viewer },
      { roleId: viewer, scopeId: above.account.scopeId },
    ])
    await app.ctx.db
      .insertInto('user_access')
      .values({ user_id: user.id, scope_id: elsewhere.scopeId, role_id: await createRole(app, []) })
      .execute()
    const preview = await above.api.user.previewMove({ id: user.id, accountId: to.id })
    expect(preview).toMatchObject({
      from: { name: from.name },
      to: { name: to.name },
      kept: [{ scopeId: above.account.scopeId, scopeName: above.account.name }],
      removed: [{ scopeId: from.scopeId, role: { key: 'viewer' } }],
      given: [{ scopeId: to.scopeId, role: { key: 'operator' }, isMain: true }],
      elsewhere: 1,
      needsTwoFactor: false,
      needsConsent: false,
      signOns: 0,
    })
    const moved = await above.api.user.move({ id: user.id, version: 1, accountId: to.id })
    expect(moved).toMatchObject({ accountId: to.id, version: 2, accessElsewhere: 1 })
    expect(moved.access).toHaveLength(2)
    expect(moved.access.filter(({ isMain }) => isMain)).toEqual([
      { scopeId: to.scopeId, roleId: operator, isMain: true },
    ])
    const { items } = await app.api.activityLog.list({ subject: 'User', objectId: user.id })
    expect(items[0]).toMatchObject({
      action: 'move',
      accountId: to.id,
      changes: { account: [from.name, to.name] },
    })
    expect((await user.api.auth.verify({})).tenantId).toBe(to.id)
  })

  test('keeps all roles when wanted, and asks for the terms of the new account', async () => {
    const { above, from, to } = await twoAccounts()
    const { version, ...account } = await above.api.tenant.get({ id: to.id })
    await above.api.tenant.update({ ...account, version, terms: 'Be kind.' })
    const user = await viewerIn(from)
    const wanted = { id: user.id, accountId: to.id, roles: 'keep' as const }
    expect(await above.api.user.previewMove(wanted)).toMatchObject({
      kept: [{ scopeId: from.scopeId }],
      removed: [],
      given: [],
      needsConsent: true,
    })
    const moved = await above.api.user.move({ ...wanted, version: 1 })
    expect(moved.access).toMatchObject([{ scopeId: from.scopeId, isMain: true }])
    expect((await user.api.auth.verify({})).needsConsent).toBe(true)
  })

  test('needs rights at both ends, another account and the newest version', async () => {
    const { above, from, to } = await twoAccounts()
    const user = await viewerIn(from)
    const foreign = await administered()
    const move = (api: typeof above.api, accountId: number, version = 1) =>
      errorOf(api.user.move({ id: user.id, version, accountId }))
    expect(await move(above.api, foreign.account.id)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await move(above.api, 2_147_483_647)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await move(above.api, 2_147_483_648)).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    expect(await move(above.api, from.id)).toMatchObject({ code: 'USER_IN_ACCOUNT', status: 409 })
    expect(await move(above.api, to.id, 7)).toMatchObject({ code: 'VERSION_CONFLICT' })
    // A role of the user in a scope of the caller shows the user, but does not let the caller take them away.
    const guest = await createUser(app, foreign.account, [
      { roleId: await roleNamed(app, 'Viewer'), scopeId: from.scopeId },
    ])
    const taken = above.api.user.move({ id: guest.id, version: 1, accountId: to.id })
    expect(await errorOf(taken)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })

  test('does not give what the caller lacks through default roles', async () => {
    const { above, from, to } = await twoAccounts()
    await above.api.scope.setDefaultRoles({
      scopeId: to.scopeId,
      roleIds: [await roleNamed(app, 'Account administrator')],
    })
    const helper = await createUser(app, above.account, [
      { roleId: await createRole(app, [{ subject: 'UserManagement', actions: ['manage'] }]) },
    ])
    const user = await createUser(app, from, [{ roleId: await createRole(app, []) }])
    const moved = helper.api.user.move({ id: user.id, version: 1, accountId: to.id })
    expect(await errorOf(moved)).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

describe('roles of new users', () => {
  test('of a list are those of each row, checked before anything is created', async () => {
    const { account, api } = await administered()
    const [viewer, operator] = [await roleNamed(app, 'Viewer'), await roleNamed(app, 'Operator')]
    const stranger = await createAccount(app)
    const row = (name: string, access?: { scopeId: number; roleId: number }[]) => ({
      email: `${name}-${account.id}@example.org`,
      firstName: 'Ada',
      lastName: name,
      ...(access ? { access } : {}),
    })
    const here = (roleId: number) => [{ scopeId: account.scopeId, roleId }]
    const users = [
      row('plain'),
      row('operator', here(operator)),
      row('unknown', here(2_147_483_647)),
      row('foreign', [{ scopeId: stranger.scopeId, roleId: viewer }]),
      row('above', here(await roleNamed(app, 'System administrator'))),
      row('twice', [...here(viewer), ...here(viewer)]),
    ]
    const faults = [
      { row: 2, code: 'ABAC_ROLE_NOT_FOUND', field: 'access' },
      { row: 3, code: 'SCOPE_NOT_FOUND' },
      { row: 4, code: 'NO_PERMISSION' },
      { row: 5, code: 'ABAC_USERACCESS_DUPLICATE_ENTRY' },
    ]
    expect((await api.user.validate({ accountId: account.id, users })).faults).toMatchObject(faults)
    const saved = await api.user.createMany({ accountId: account.id, users, access: here(viewer) })
    expect(saved.faults).toMatchObject(faults)
    const access = await Promise.all(
      saved.created.map(async ({ id }) => (await api.user.get({ id })).access.map(({ roleId }) => roleId)),
    )
    expect(access).toEqual([[viewer], [operator]])
  })

  test('include the default roles on the scopes of twins', async () => {
    const { account, api } = await administered()
    const [viewer, operator] = [await roleNamed(app, 'Viewer'), await roleNamed(app, 'Operator')]
    const twin = await api.digitaltwin.create({ accountId: account.id, title: 'Town hall' })
    const { scopeId } = await api.digitaltwin.createScope({ id: twin.id })
    await api.scope.setDefaultRoles({ scopeId: account.scopeId, roleIds: [viewer] })
    expect(await api.scope.setDefaultRoles({ scopeId, roleIds: [operator] })).toMatchObject({
      roleIds: [operator],
      twinScopes: [],
    })
    expect(await api.scope.listDefaultRoles({ scopeId: account.scopeId })).toMatchObject({
      roleIds: [viewer],
      twinScopes: [{ scopeId, scopeName: 'Town hall', roleIds: [operator] }],
    })
    const user = await api.user.create({
      username: `hall-${account.id}`,
      email: `hall-${account.id}@example.org`,
      accountId: account.id,
    })
    expect(user.access).toEqual([
      { scopeId: account.scopeId, roleId: viewer, isMain: true },
      { scopeId, roleId: operator, isMain: false },
    ])
  })
})
