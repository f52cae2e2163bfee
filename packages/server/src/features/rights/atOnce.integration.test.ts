import { beforeAll, expect, test } from 'vitest'
import {
  createAccount,
  createApiWith,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

/**
 * A request that revokes a right takes effect by the time it returns. Database notifications, which would do
 * the same a moment later, are turned off here.
 */
let app: TestApp
beforeAll(async () => {
  app = await startApp()
  await app.ctx.configChanges[Symbol.asyncDispose]()
})

async function viewer() {
  const account = await createAccount(app)
  const roleId = await createRole(app, [
    { subject: 'VirtualDevice', actions: ['read'] },
    { subject: 'Dashboards', actions: ['read'] },
  ])
  const user = await createUser(app, account, [{ roleId }])
  // From here on the rights are cached.
  await user.api.virtualdevice.list({})
  await user.api.dashboards.list({})
  return { account, roleId, user }
}

const roleOf = async (id: number) => {
  const role = (await app.api.acl.listRoles({ limit: 1000 })).items.find((one) => one.id === id)
  if (!role) throw new Error('no such role')
  return role
}

test('a role that loses a rule', async () => {
  const { roleId, user } = await viewer()
  await app.api.acl.updateRole({ ...(await roleOf(roleId)), rules: [] })
  expect(await errorOf(user.api.virtualdevice.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
})

test('a role that is taken from a user', async () => {
  const { user } = await viewer()
  const { id, version } = await app.api.user.get({ id: user.id })
  await app.api.user.updateAccess({ userId: id, version, access: [] })
  expect(await errorOf(user.api.virtualdevice.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
})

test('a user who is deactivated, and one who is deleted', async () => {
  const [first, second] = [await viewer(), await viewer()]
  const known = await app.api.user.get({ id: first.user.id })
  await app.api.user.update({ ...known, active: false, access: undefined })
  await app.api.user.delete({ id: second.user.id })
  for (const { user } of [first, second])
    expect(await errorOf(user.api.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
})

test('a module that is switched off', async () => {
  const { account, user } = await viewer()
  const change = { accountId: account.id, module: 'dashboards', version: 1, toNewUsers: null } as const
  await app.api.module.set({ ...change, enabled: false })
  expect(await errorOf(user.api.dashboards.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
  await user.api.virtualdevice.list({})
})

test('sessions that are ended, one and all others', async () => {
  const { user } = await viewer()
  const [second, third] = [await app.login(user.username), await app.login(user.username)]
  await second.api.virtualdevice.list({})
  await third.api.virtualdevice.list({})
  const { items } = await second.api.session.list({})
  const newest = items.filter(({ current }) => !current).sort((a, b) => b.id - a.id)[0]
  await second.api.session.end({ id: newest?.id ?? 0 })
  expect(await errorOf(third.api.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
  await second.api.session.endOthers({})
  expect(await errorOf(user.api.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
})

test('an account that is moved away from its administrators', async () => {
  const [from, to] = [await createAccount(app), await createAccount(app)]
  const moved = await createAccount(app, { parent: from })
  const admin = await createUser(app, from, [{ roleId: await roleNamed(app, 'Account administrator') }])
  await admin.api.tenant.get({ id: moved.id })
  const { version } = await app.api.tenant.get({ id: moved.id })
  await app.api.tenant.move({ id: moved.id, version, parentId: to.id })
  expect(await errorOf(admin.api.tenant.get({ id: moved.id }))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
})

test('a key that is deleted', async () => {
  const { account, roleId } = await viewer()
  const { key, token } = await app.api.apikey.create({ title: 'Weather', scopeId: account.scopeId, roleId })
  const program = createApiWith(app.url, { 'x-api-key': token })
  await program.virtualdevice.list({})
  await app.api.apikey.delete({ id: key.id })
  expect(await errorOf(program.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
})
