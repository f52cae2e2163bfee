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
  testPassword,
} from '../../../../test/kit.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

const withRole = async (role: string, account: { id: number; scopeId: number }) =>
  createUser(app, account, [{ roleId: await roleNamed(app, role) }])

async function adminAndUser() {
  const account = await createAccount(app)
  const admin = await withRole('Account administrator', account)
  const user = await withRole('Viewer', account)
  return { account, admin, user }
}

describe('acting as another user', () => {
  test('gives their eyes and rights, and back; both stand in the activity log', async () => {
    const { account, admin, user } = await adminAndUser()
    const begun = await admin.api.auth.impersonate({ userId: user.id })
    expect(begun.originalToken).toBe(admin.token)
    const eyes = createApi(app.url, begun.token)
    expect(await eyes.auth.verify({})).toMatchObject({
      user: { id: user.id },
      impersonator: { id: admin.id, name: admin.username },
    })
    const twin = { accountId: account.id, title: 'forbidden' } as never
    expect(await errorOf(eyes.digitaltwin.create(twin))).toMatchObject({ code: 'NO_PERMISSION' })
    expect((await user.api.session.list({})).items[0]).toMatchObject({
      impersonatorName: admin.username,
      ip: '',
    })
    const back = await eyes.auth.restore({ originalToken: begun.originalToken })
    expect(back).toMatchObject({ user: { id: admin.id }, token: admin.token })
    expect((await eyes.auth.verify({})).isAuthenticated).toBe(false)
    expect((await admin.api.auth.verify({})).impersonator).toBeNull()

    const { items } = await app.api.activityLog.list({ search: admin.username })
    expect(items[0]).toMatchObject({
      action: 'restore',
      userName: user.username,
      impersonatorName: admin.username,
    })
    expect(items[1]).toMatchObject({
      action: 'impersonate',
      objectId: user.id,
      userName: admin.username,
      impersonatorName: null,
    })
  })

  test('is never nested', async () => {
    const { admin, user, account } = await adminAndUser()
    const second = await withRole('Account administrator', account)
    const { token } = await admin.api.auth.impersonate({ userId: second.id })
    const nested = createApi(app.url, token).auth.impersonate({ userId: user.id })
    expect(await errorOf(nested)).toMatchObject({ code: 'AUTH_IMPERSONATING' })
  })

  test('does not reach what belongs to the person', async () => {
    const { admin, user } = await adminAndUser()
    const { token } = await admin.api.auth.impersonate({ userId: user.id })
    const eyes = createApi(app.url, token)
    const calls = [
      () => eyes.password.change({ oldPassword: testPassword, newPassword: 'taken over by me' }),
      () => eyes.twofactor.setUp({ password: testPassword }),
      () => eyes.session.endOthers(),
    ]
    for (const call of calls) expect(await errorOf(call())).toMatchObject({ code: 'AUTH_IMPERSONATING' })
  })

  test('ends with the own session, after eight hours, and when the administrator is deactivated', async () => {
    const { admin, user } = await adminAndUser()
    const begin = async (by = admin) =>
      createApi(app.url, (await by.api.auth.impersonate({ userId: user.id })).token)
    const isOpen = async (api: ReturnType<typeof createApi>) => (await api.auth.verify({})).isAuthenticated
    const late = await begin()
    clock.advance(8 * 3_600_000)
    expect(await isOpen(late)).toBe(false)
    const first = await begin()
    await admin.api.auth.logout()
    expect(await isOpen(first)).toBe(false)
    const again = await app.login(admin.username)
    const second = await begin({ ...admin, ...again })
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', admin.id).execute()
    await app.ctx.configChanges.settle()
    expect(await isOpen(second)).toBe(false)
  })

  test('and signing out leaves altogether', async () => {
    const { admin, user } = await adminAndUser()
    const { token } = await admin.api.auth.impersonate({ userId: user.id })
    await createApi(app.url, token).auth.logout()
    expect((await admin.api.auth.verify({})).isAuthenticated).toBe(false)
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(true)
  })
})

describe('nobody gains by it', () => {
  test('who may do more cannot be acted as: a system administrator in the account, rights elsewhere', async () => {
    const { account, admin } = await adminAndUser()
    const superUser = await withRole('System administrator', account)
    const elsewhere = await createAccount(app)
    const roleId = await roleNamed(app, 'Viewer')
    const wide = await createUser(app, account, [{ roleId }, { roleId, scopeId: elsewhere.scopeId }])
    for (const { id } of [superUser, wide])
      expect(await errorOf(admin.api.auth.impersonate({ userId: id }))).toMatchObject({
        code: 'NO_PERMISSION',
      })
  })

  test('users of other accounts look as if they did not exist', async () => {
    const { admin } = await adminAndUser()
    const foreign = await adminAndUser()
    const answers = await Promise.all(
      [foreign.user.id, 2_000_000].map((userId) => errorOf(admin.api.auth.impersonate({ userId }))),
    )
    for (const answer of answers) expect(answer).toMatchObject({ code: 'USER_NOT_FOUND' })
  })

  test('it needs the permission', async () => {
    const { account, user } = await adminAndUser()
    const operator = await withRole('Operator', account)
    expect(await errorOf(operator.api.auth.impersonate({ userId: user.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
  })

  test('rights the user gets meanwhile are not lent', async () => {
    const account = await createAccount(app)
    const look = { subject: 'VirtualDevice', actions: ['read'] } as const
    const rules = [{ ...look, actions: [...look.actions] }]
    const support = await createUser(app, account, [
      { roleId: await createRole(app, [...rules, { subject: 'UserManagement', actions: ['impersonate'] }]) },
    ])
    const user = await createUser(app, account, [{ roleId: await createRole(app, rules) }])
    const { token } = await support.api.auth.impersonate({ userId: user.id })
    const roleId = await roleNamed(app, 'Account administrator')
    await app.ctx.db
      .insertInto('user_access')
      .values({ user_id: user.id, scope_id: account.scopeId, role_id: roleId, is_main: false })
      .execute()
    app.app.people.forgetRights()
    const checks = [{ subject: 'UserManagement', action: 'manage' }] as const
    expect(await user.api.acl.checkAccess({ checks: [...checks] })).toEqual({ results: [true] })
    const eyes = createApi(app.url, token)
    expect(await eyes.acl.checkAccess({ checks: [...checks] })).toEqual({ results: [false] })
  })

  test('the lent session alone does not lead to the own one', async () => {
    const { admin, user } = await adminAndUser()
    const { token } = await admin.api.auth.impersonate({ userId: user.id })
    const eyes = createApi(app.url, token)
    for (const input of [{}, { originalToken: user.token }, { originalToken: token }])
      expect(await errorOf(eyes.auth.restore(input))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
    const other = await app.login(admin.username)
    expect(await errorOf(eyes.auth.restore({ originalToken: other.token }))).toMatchObject({
      code: 'AUTH_TOKEN_NOT_FOUND',
    })
    expect(await errorOf(admin.api.auth.restore({}))).toMatchObject({ code: 'AUTH_NOT_IMPERSONATING' })
  })
})
