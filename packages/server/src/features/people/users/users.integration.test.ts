import { beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
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

let serial = 0
const person = (over: object = {}) => {
  const name = `person${++serial}`
  return { username: name, email: `${name}@example.org`, firstName: 'Ada', lastName: 'Lind', ...over }
}

async function administered(parent?: { id: number; scopeId: number }) {
  const account = await createAccount(app, parent ? { parent } : {})
  const roleId = await roleNamed(app, 'Account administrator')
  return { account, ...(await createUser(app, account, [{ roleId }])) }
}

const notFound = { code: 'USER_NOT_FOUND', status: 404 }
const refused = { code: 'NO_PERMISSION', status: 403 }

describe('a user', () => {
  test('is created with the default roles, gets a mail, is changed and deleted; each is in the log', async () => {
    const { account, api } = await administered()
    const viewer = await roleNamed(app, 'Viewer')
    await api.scope.setDefaultRoles({ scopeId: account.scopeId, roleIds: [viewer] })
    const created = await api.user.create({ ...person(), accountId: account.id })
    expect(created).toMatchObject({
      invited: true,
      editable: true,
      access: [{ scopeId: account.scopeId, roleId: viewer, isMain: true }],
    })
    const mails = await app.ctx.db
      .selectFrom('mails')
      .selectAll()
      .where('account_id', '=', account.id)
      .execute()
    expect(mails.map(({ recipients }) => recipients)).toEqual([[created.email]])

    const changed = await api.user.update({ ...created, firstName: 'Grace', access: undefined })
    expect(changed).toMatchObject({ firstName: 'Grace', version: 2, access: created.access })
    expect(await errorOf(api.user.update({ ...created, access: undefined }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    await api.user.delete({ id: created.id })
    expect(await errorOf(api.user.get({ id: created.id }))).toMatchObject(notFound)
    const log = await api.activityLog.list({ subject: 'User', objectId: created.id })
    expect(log.items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
    expect(log.items[1]?.changes).toEqual({ firstName: ['Ada', 'Grace'] })
  })

  test('is deactivated: the sessions end at once', async () => {
    const { account, api } = await administered()
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const user = await api.user.get({ id: viewer.id })
    await api.user.update({ ...user, active: false, access: undefined })
    expect(await errorOf(viewer.api.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
    expect(await errorOf(app.login(viewer.username))).toMatchObject({ code: 'AUTH_USER_DEACTIVATED' })
    await api.user.update({ ...user, version: 2, active: true, access: undefined })
    await app.login(viewer.username)
  })

  test('is told at the address before when the address changes', async () => {
    const account = await createAccount(app)
    const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const before = await app.api.user.get({ id: user.id })
    const changed = await app.api.user.update({ ...before, firstName: 'Ada' })
    await app.api.user.update({ ...changed, email: 'elsewhere@example.org' })
    const { items } = await app.api.mail.list({ limit: 1000 })
    const told = items.filter(({ recipients }) => recipients.includes(before.email))
    expect(told).toMatchObject([{ subject: 'Leitstand: E-Mail-Adresse geändert' }])
    expect(JSON.stringify(told)).not.toContain('elsewhere')
  })

  test('has a name and an address of his own, whatever their case', async () => {
    const { account, api } = await administered()
    const first = await api.user.create({ ...person(), accountId: account.id })
    for (const twin of [{ email: first.email.toUpperCase() }, { username: first.username.toUpperCase() }]) {
      const again = api.user.create({ ...person(), ...twin, accountId: account.id })
      expect(await errorOf(again)).toMatchObject({ code: 'USER_DUPLICATE', status: 409 })
    }
  })

  test('does not deactivate or delete himself, and the last system administrator stays', async () => {
    const { id, api } = await administered()
    const me = await api.user.get({ id })
    expect(await errorOf(api.user.delete({ id }))).toMatchObject({ code: 'USER_SELF' })
    expect(await errorOf(api.user.update({ ...me, active: false }))).toMatchObject({ code: 'USER_SELF' })
    const self = (await app.api.auth.verify({})).user
    const root = await app.api.user.get({ id: self?.id ?? 0 })
    expect(await errorOf(app.api.user.update({ ...root, access: [] }))).toMatchObject({
      code: 'USER_LAST_ADMIN',
    })
  })

  test('has a role on a scope once, and one main scope', async () => {
    const { account, api } = await administered()
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const { version, access } = await api.user.get({ id: viewer.id })
    const give = (wanted: typeof access) =>
      errorOf(api.user.updateAccess({ userId: viewer.id, version, access: wanted }))
    const twice = [...access, ...access.map((entry) => ({ ...entry, isMain: false }))]
    expect(await give(twice)).toMatchObject({ code: 'ABAC_USERACCESS_DUPLICATE_ENTRY', status: 409 })
    const operator = { scopeId: account.scopeId, roleId: await roleNamed(app, 'Operator'), isMain: true }
    const mains = [...access.map((entry) => ({ ...entry, isMain: true })), operator]
    expect(await give(mains)).toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('who has a password is not invited again', async () => {
    const { account, api } = await administered()
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await errorOf(api.user.invite({ id: viewer.id }))).toMatchObject({ code: 'USER_HAS_PASSWORD' })
    const fresh = await api.user.create({ ...person(), accountId: account.id, invite: false })
    await api.user.invite({ id: fresh.id })
    await api.user.invite({ id: fresh.id })
    const tokens = app.ctx.db.selectFrom('password_tokens').selectAll().where('user_id', '=', fresh.id)
    expect(await tokens.execute()).toHaveLength(1)
    expect(await errorOf(app.login(fresh.username, testPassword))).toMatchObject({
      code: 'AUTH_LOGIN_PASSWORD_MISMATCH',
    })
  })
})

describe('nobody reaches users of other accounts', () => {
  test('neither reading nor changing nor creating', async () => {
    const [mine, theirs] = [await administered(), await administered()]
    const victim = await theirs.api.user.get({ id: theirs.id })
    expect(await errorOf(mine.api.user.get({ id: theirs.id }))).toMatchObject(notFound)
    expect(await errorOf(mine.api.user.update({ ...victim, firstName: 'x' }))).toMatchObject(notFound)
    expect(await errorOf(mine.api.user.delete({ id: theirs.id }))).toMatchObject(notFound)
    expect(await errorOf(mine.api.user.invite({ id: theirs.id }))).toMatchObject(notFound)
    expect(
      await errorOf(mine.api.user.updateAccess({ userId: theirs.id, version: victim.version, access: [] })),
    ).toMatchObject(notFound)
    expect(await errorOf(mine.api.user.create({ ...person(), accountId: theirs.account.id }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    expect(
      await errorOf(mine.api.user.validate({ accountId: theirs.account.id, users: [person()] })),
    ).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    const { items } = await mine.api.user.list({ accountIds: [theirs.account.id], parentAdmins: true })
    expect(items).toEqual([])
    const all = await mine.api.user.list({})
    expect(all.items.map(({ id }) => id)).toEqual([mine.id])
  })

  test('nor gives rights in them', async () => {
    const [mine, theirs] = [await administered(), await administered()]
    const roleId = await roleNamed(app, 'Viewer')
    const access = [{ scopeId: theirs.account.scopeId, roleId }]
    expect(
      await errorOf(mine.api.user.create({ ...person(), accountId: mine.account.id, access })),
    ).toMatchObject({ code: 'SCOPE_NOT_FOUND' })
    const own = await theirs.api.acl.createRole({ accountId: theirs.account.id, name: 'Theirs', rules: [] })
    const foreign = [{ scopeId: mine.account.scopeId, roleId: own.id }]
    expect(
      await errorOf(mine.api.user.create({ ...person(), accountId: mine.account.id, access: foreign })),
    ).toMatchObject({ code: 'ABAC_ROLE_NOT_FOUND' })
  })
})

describe('nobody gives or gets more than he has', () => {
  test('no role with more in it, to nobody, not even oneself', async () => {
    const { account, id, api } = await administered()
    const system = await roleNamed(app, 'System administrator')
    const access = [{ scopeId: account.scopeId, roleId: system, isMain: true }]
    expect(await errorOf(api.user.create({ ...person(), accountId: account.id, access }))).toMatchObject(
      refused,
    )
    const me = await api.user.get({ id })
    expect(await errorOf(api.user.update({ ...me, access }))).toMatchObject(refused)
    expect(await errorOf(api.user.updateAccess({ userId: id, version: me.version, access }))).toMatchObject(
      refused,
    )
    // None of the refused changes was stored.
    expect(await api.user.get({ id })).toEqual(me)
  })

  test('a helper who manages users without being an administrator makes no administrators', async () => {
    const account = await createAccount(app)
    const helper = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'UserManagement', actions: ['manage'] }]) },
      { roleId: await roleNamed(app, 'Viewer') },
    ])
    const give = async (name: string) =>
      helper.api.user.create({
        ...person(),
        accountId: account.id,
        access: [{ scopeId: account.scopeId, roleId: await roleNamed(app, name) }],
      })
    expect((await give('Viewer')).access).toHaveLength(1)
    expect(await errorOf(give('Operator'))).toMatchObject(refused)
    expect(await errorOf(give('Account administrator'))).toMatchObject(refused)
  })

  test('taking away a role that takes away is giving', async () => {
    const account = await createAccount(app)
    const helper = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'UserManagement', actions: ['manage'] }]) },
    ])
    const below = await createAccount(app, { parent: account })
    const denies = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'], inverted: true }])
    const user = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }]) },
      { roleId: denies, scopeId: below.scopeId },
    ])
    const { access, version } = await helper.api.user.get({ id: user.id })
    const without = access.filter(({ roleId }) => roleId !== denies)
    expect(
      await errorOf(helper.api.user.updateAccess({ userId: user.id, version, access: without })),
    ).toMatchObject(refused)
  })

  test('nobody takes from others what he does not have', async () => {
    const { account, id } = await administered()
    const helper = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'UserManagement', actions: ['manage'] }]) },
    ])
    const { version } = await helper.api.user.get({ id })
    const nothing = { userId: id, version, access: [] }
    expect(await errorOf(helper.api.user.updateAccess(nothing))).toMatchObject({ code: 'USER_MAY_DO_MORE' })
    // A caller with the same rights may revoke all of them.
    expect((await app.api.user.updateAccess(nothing)).access).toEqual([])
  })

  test('who may do more cannot be renamed, deactivated, deleted or invited by who may do less', async () => {
    const { account, api } = await administered()
    const system = await createUser(app, account, [{ roleId: await roleNamed(app, 'System administrator') }])
    const user = await api.user.get({ id: system.id })
    expect(user.editable).toBe(false)
    const more = { code: 'USER_MAY_DO_MORE', status: 403 }
    const takeover = { ...user, email: 'attacker@example.org', access: undefined }
    expect(await errorOf(api.user.update(takeover))).toMatchObject(more)
    expect(await errorOf(api.user.update({ ...user, active: false, access: undefined }))).toMatchObject(more)
    expect(await errorOf(api.user.delete({ id: system.id }))).toMatchObject(more)
    expect(await errorOf(api.user.invite({ id: system.id }))).toMatchObject(more)
  })

  test('what a user has elsewhere stays, and is not shown', async () => {
    const [left, right] = [await administered(), await administered()]
    const roleId = await roleNamed(app, 'Viewer')
    const guest = await createUser(app, left.account, [
      { roleId },
      { roleId, scopeId: right.account.scopeId },
    ])
    const seen = await right.api.user.get({ id: guest.id })
    expect(seen).toMatchObject({
      access: [{ scopeId: right.account.scopeId, roleId }],
      accessElsewhere: 1,
      editable: false,
    })
    await right.api.user.updateAccess({ userId: guest.id, version: seen.version, access: [] })
    expect(await errorOf(right.api.user.get({ id: guest.id }))).toMatchObject(notFound)
    expect((await left.api.user.get({ id: guest.id })).access).toHaveLength(1)
  })
})

describe('the list', () => {
  test('holds the own account, those below and administrators from above when asked for', async () => {
    const above = await administered()
    const { account, api, id } = await administered(above.account)
    const below = await createAccount(app, { parent: account })
    const viewer = await createUser(app, below, [{ roleId: await roleNamed(app, 'Viewer') }])
    await createUser(app, above.account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const ids = async (options: object) =>
      (await api.user.list({ accountIds: [account.id], ...options })).items.map((user) => user.id).sort()
    expect(await ids({})).toEqual([id])
    expect(await ids({ subAccounts: true })).toEqual([id, viewer.id].sort())
    const admins = await api.user.list({ accountIds: [account.id], parentAdmins: true, limit: 200 })
    const parent = admins.items.find((user) => user.id === above.id)
    expect(parent).toMatchObject({ parentAdmin: true, email: '', lastLoginAt: null, roles: [] })
    expect(admins.items.every((user) => user.id === id || user.parentAdmin)).toBe(true)
    expect(await errorOf(api.user.get({ id: above.id }))).toMatchObject(notFound)
  })

  test('is searched, filtered and sorted', async () => {
    const { account, api } = await administered()
    for (const lastName of ['Zander', 'Amsel', 'Meise'])
      await api.user.create({ ...person({ lastName }), accountId: account.id, invite: false })
    const names = async (options: object) =>
      (await api.user.list({ accountIds: [account.id], ...options })).items.map(({ lastName }) => lastName)
    expect(await names({ search: 'ams' })).toEqual(['Amsel'])
    expect(await names({ search: 'Ada', orderBy: '-lastName' })).toEqual(['Zander', 'Meise', 'Amsel'])
    expect(await names({ search: 'Ada', active: false })).toEqual([])
    expect(await names({ search: '%' })).toEqual([])
    expect(await api.user.list({ search: 'Ada', limit: 2 })).toMatchObject({ total: 3, limit: 2 })
  })
})

test('users in bulk: those that can be created are, the others are named with their reason', async () => {
  const { account, api } = await administered()
  const taken = await api.user.create({ ...person(), accountId: account.id })
  const [one, two] = [person(), person()]
  const users = [
    one,
    { ...two, email: one.email.toUpperCase() },
    { ...person(), email: taken.email },
    person(),
  ]
  const faults = [
    { row: 1, email: one.email.toUpperCase(), code: 'USER_DUPLICATE_IN_LIST', field: 'email' },
    { row: 2, email: taken.email, code: 'USER_DUPLICATE', field: 'email' },
  ]
  expect(await api.user.validate({ accountId: account.id, users })).toEqual({ faults })
  const answer = await api.user.createMany({ accountId: account.id, users, invite: false })
  expect(answer.created.map(({ row }) => row)).toEqual([0, 3])
  expect(answer.faults).toEqual(faults)
  const access = [{ scopeId: account.scopeId, roleId: await roleNamed(app, 'System administrator') }]
  expect(
    await errorOf(api.user.createMany({ accountId: account.id, users: [person()], access })),
  ).toMatchObject(refused)
})

test('a viewer sees neither users nor roles', async () => {
  const account = await createAccount(app)
  const { api, id } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  expect(await errorOf(api.user.list({}))).toMatchObject(refused)
  expect(await errorOf(api.user.get({ id }))).toMatchObject(refused)
  expect(await errorOf(api.user.explainAccess({ userId: id, scopeId: account.scopeId }))).toMatchObject(
    refused,
  )
  expect(await errorOf(api.user.create({ ...person(), accountId: account.id }))).toMatchObject(refused)
})
