import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createUser, errorOf, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

/** Two accounts side by side, each with an administrator and one account below. */
async function siblings() {
  const role = await roleNamed(app, 'Account administrator')
  const build = async () => {
    const account = await createAccount(app)
    const below = await createAccount(app, { parent: account })
    return { account, below, admin: await createUser(app, account, [{ roleId: role }]) }
  }
  return { left: await build(), right: await build() }
}

describe('accounts side by side', () => {
  test('see themselves and what is below, never each other', async () => {
    const { left, right } = await siblings()
    const seen = await left.admin.api.tenant.fetchAll()
    expect(seen.items.map(({ id }) => id).sort()).toEqual([left.account.id, left.below.id].sort())
    const scopes = await right.admin.api.acl.listScopes()
    expect(scopes.items.map(({ accountId }) => accountId).sort()).toEqual(
      [right.account.id, right.below.id].sort(),
    )
  })

  test('an account can be created below the own ones only', async () => {
    const { left, right } = await siblings()
    const created = await left.admin.api.tenant.create({ name: 'Streets', parentId: left.below.id })
    expect(created).toMatchObject({
      name: 'Streets',
      parentId: left.below.id,
      retentionMonths: 24,
      timeZone: 'Europe/Berlin',
    })
    const refused = await errorOf(
      left.admin.api.tenant.create({ name: 'Streets', parentId: right.account.id }),
    )
    expect(refused).toMatchObject({ code: 'TENANT_NOT_FOUND', status: 404 })
    const twice = await errorOf(left.admin.api.tenant.create({ name: 'Streets', parentId: left.below.id }))
    expect(twice).toMatchObject({ code: 'TENANT_DUPLICATE', status: 409 })
  })

  test('the new account can be used at once, and its creation is in the log of its administrators only', async () => {
    const { left, right } = await siblings()
    const created = await left.admin.api.tenant.create({ name: 'Parks', parentId: left.account.id })
    const checks = [{ subject: 'VirtualDevice', action: 'create', scopeId: created.scopeId }] as const
    expect((await left.admin.api.acl.checkAccess({ checks: [...checks] })).results).toEqual([true])
    expect((await right.admin.api.acl.checkAccess({ checks: [...checks] })).results).toEqual([false])
    const own = await left.admin.api.activityLog.list({ subject: 'Tenant' })
    expect(own.items).toMatchObject([
      { action: 'create', objectId: created.id, userName: left.admin.username },
    ])
    const others = await right.admin.api.activityLog.list({ subject: 'Tenant' })
    expect(others.items.map(({ objectId }) => objectId)).not.toContain(created.id)
  })
})

describe('a viewer', () => {
  test('may not create accounts, read the activity log or the roles', async () => {
    const account = await createAccount(app)
    const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const refused = { code: 'NO_PERMISSION', status: 403 }
    expect(await errorOf(api.tenant.create({ name: 'X', parentId: account.id }))).toMatchObject(refused)
    expect(await errorOf(api.activityLog.list({}))).toMatchObject(refused)
    expect(await errorOf(api.acl.listRoles({}))).toMatchObject(refused)
  })

  test('loses a right as soon as the role is taken away, without signing in again', async () => {
    const account = await createAccount(app)
    const { api, id } = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Viewer') },
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    expect((await api.activityLog.list({})).total).toBeGreaterThan(0)
    await app.ctx.db
      .deleteFrom('user_access')
      .where('user_id', '=', id)
      .where('is_main', '=', false)
      .execute()
    await app.ctx.configChanges.settle()
    expect(await errorOf(api.activityLog.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

describe('favourites', () => {
  test('are the own ones, of visible objects, and vanish with the object', async () => {
    const { left, right } = await siblings()
    const { id: dashboardId } = await app.ctx.db
      .insertInto('dashboards')
      .values({ account_id: left.account.id, scope_id: left.account.scopeId, name: 'City' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const wanted = { type: 'dashboard', objectId: dashboardId } as const
    const created = await left.admin.api.favorite.create(wanted)
    expect(created).toMatchObject({ ...wanted, title: 'City' })
    expect((await left.admin.api.favorite.create(wanted)).id).toBe(created.id)
    expect(await errorOf(right.admin.api.favorite.create(wanted))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await errorOf(right.admin.api.favorite.delete({ id: created.id }))).toMatchObject({
      code: 'NOT_FOUND',
    })
    expect((await left.admin.api.favorite.list()).items).toHaveLength(1)
    await app.ctx.db.deleteFrom('dashboards').where('id', '=', dashboardId).execute()
    expect((await left.admin.api.favorite.list()).items).toEqual([])
  })

  test('those of objects that are gone leave room for others', async () => {
    const { left } = await siblings()
    const { account, admin } = left
    const max = 200
    const boards = await app.ctx.db
      .insertInto('dashboards')
      .values(
        Array.from({ length: max + 1 }, (_, index) => ({
          account_id: account.id,
          scope_id: account.scopeId,
          name: `Board ${index}`,
        })),
      )
      .returning('id')
      .execute()
    const [first, second, ...others] = boards.map(({ id }) => id)
    await app.ctx.db
      .insertInto('favorites')
      .values(
        [first, ...others].map((id) => ({ user_id: admin.id, type: 'dashboard', object_id: Number(id) })),
      )
      .execute()
    const wanted = { type: 'dashboard', objectId: Number(second) } as const
    expect(await errorOf(admin.api.favorite.create(wanted))).toMatchObject({ code: 'VALIDATION_ERROR' })
    await app.ctx.db.deleteFrom('dashboards').where('id', '=', Number(first)).execute()
    await admin.api.favorite.create(wanted)
    expect((await admin.api.favorite.list()).items).toHaveLength(max)
  })
})

test('own properties are kept and come back with the session', async () => {
  const account = await createAccount(app)
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  const properties = {
    userDefaults: { language: 'en', uiTheme: true, pagination: 50 },
    columns: { devices: ['title'] },
  } as const
  await api.user.setProperties({ properties: { ...properties, columns: { devices: ['title'] } } })
  expect((await api.auth.verify({})).user?.properties).toEqual(properties)
  const tooLarge = await errorOf(api.user.setProperties({ properties: { note: 'x'.repeat(70_000) } }))
  expect(tooLarge).toMatchObject({ code: 'VALIDATION_ERROR', status: 422 })
})
